import { expect, it } from 'vitest'
import { authZenHandler } from '../../src/authzen/index.js'
import { caller, context, good, start } from '../application/host.js'

it('A search of users lists one once who has namesakes in very many organizations', async () => {
  const { iam } = start({ authorize: () => true })
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  for (const roleKey of ['a', 'b'])
    await good(
      iam.projectRoles.add(
        { projectId: 'portal', roleKey, displayName: 'x', permissions: ['p'] },
        context,
      ),
    )
  for (let n = 0; n < 1001; n++) {
    const org = `0rg${n}`
    await good(
      iam.projectGrants.add({ projectId: 'portal', grantedOrgId: org, roleKeys: ['a'] }, context),
    )
    await good(
      iam.userGrants.add(
        { userId: 'admin', projectId: 'portal', projectOrgId: 'acme', roles: [{ roleKey: 'a' }] },
        { ...context, orgId: org },
      ),
    )
  }
  await good(
    iam.userGrants.add(
      { userId: 'admin', projectId: 'portal', roles: [{ roleKey: 'a' }, { roleKey: 'b' }] },
      context,
    ),
  )
  const handler = authZenHandler(iam, {
    authenticate: () => caller,
    identifier: 'https://p.example.com',
  })
  const found: unknown[] = []
  let token = ''
  do {
    const r = await handler(
      new Request('https://p.example.com/access/v1/search/subject', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          subject: { type: 'user' },
          action: { name: 'p' },
          resource: { type: 'project', id: 'portal' },
          page: { token },
        }),
      }),
    )
    const body: { results: unknown[]; page: { next_token: string } } = await r.json()
    found.push(...body.results)
    token = body.page.next_token
  } while (token)
  expect(found).toEqual([{ type: 'user', id: 'admin' }])
}, 60000)
