// Who asks. A session says which user; what that user may do is looked up anew for every request.
import { type Caller, PERMISSIONS } from 'claviger'
import type { Pool } from 'pg'
import type { Cookies } from './cookies.ts'

export const SESSION = 'session'

/** All but to read secrets, which is for the sign-in alone. */
const ADMIN = PERMISSIONS.filter((permission) => permission !== 'identity_provider.secret.read')

/** A user as claviger is to know them: from their own organization, with the rights that they have there. */
export type CallerOf = (cookieHeader: string | null | undefined) => Promise<Caller | undefined>

export const callers =
  (pool: Pool, cookies: Cookies): CallerOf =>
  async (cookieHeader) => {
    const userId = cookies.read(cookieHeader, SESSION)
    if (userId === undefined) return undefined
    const { rows } = await pool.query<{ customer_id: string; is_admin: boolean }>(
      'SELECT customer_id, is_admin FROM app.users WHERE id = $1',
      [userId],
    )
    const [user] = rows
    return user && { userId, orgId: user.customer_id, permissions: user.is_admin ? ADMIN : [] }
  }

export const isAdmin = ({ permissions }: Caller): boolean =>
  permissions?.includes('project.write') === true
