import { describe, expect, it } from 'vitest'
import { clientOf, openHost, userTable } from './host.js'
import { entra, filled, okta, type Recorded } from './requests.js'

describe.each([
  ['Entra ID', entra],
  ['Okta', okta],
])('the requests that the documents of %s show', (_, exchanges) => {
  it('are answered as they say, in order', async () => {
    const { iam, place, map, has } = await openHost()
    await map('finance')
    const { send } = clientOf(iam, place, { users: userTable().users })
    const ids = new Map<string, string>()
    const run = async ({ name, status, response, as, holders, ...exchange }: Recorded) => {
      const answer = await send({
        ...filled(exchange, ids),
        path: filled(exchange.path, ids),
      })
      expect([name, answer.status, answer.status < 300 ? '' : answer.body?.schemas]).toEqual([
        name,
        status,
        status < 300 ? '' : ['urn:ietf:params:scim:api:messages:2.0:Error'],
      ])
      if (answer.body) expect(answer.headers.get('content-type')).toBe('application/scim+json')
      if (response) expect(answer.body, name).toMatchObject(filled(Object(response), ids))
      expect(JSON.stringify(answer.body ?? ''), name).not.toContain('1mz050nq')
      if (as) ids.set(as, answer.body.id)
      for (const user of holders ? (['user', 'other'] as const) : [])
        expect([name, user, await has(ids.get(user) ?? '')]).toEqual([
          name,
          user,
          holders?.includes(user),
        ])
    }
    for (const exchange of exchanges) await run(exchange)
  })
})
