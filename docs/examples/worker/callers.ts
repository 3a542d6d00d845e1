// Who calls: here by a signed token of your login, in a header or in the cookie of a session.
import type { Caller } from 'claviger'
import { jwtVerify } from 'jose'
import * as z from 'zod'

const permissions = z.array(z.string())
const Claims = z.object({
  sub: z.string(),
  org: z.string(),
  permissions,
  permissionsIn: z.optional(z.record(z.string(), permissions)),
})

/** The token that a request carries. */
const tokenIn = (headers: Headers): string | undefined =>
  /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ??
  /(?:^|; )session=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]

/** The caller whose token is valid; nobody otherwise. */
export const callerOf = async (
  headers: Headers,
  { SESSION_KEY }: { readonly SESSION_KEY: string },
): Promise<Caller | undefined> => {
  const token = tokenIn(headers)
  if (token === undefined) return undefined
  const key = new TextEncoder().encode(SESSION_KEY)
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
    const { sub, org, ...allowed } = Claims.parse(payload)
    // We signed them; a permission that nobody knows allows nothing.
    return {
      userId: sub,
      orgId: org,
      ...(allowed as Pick<Caller, 'permissions' | 'permissionsIn'>),
    }
  } catch {
    return undefined
  }
}
