import { describe, expect, it } from 'vitest'
import { openHost } from '../http-client.js'
import { TRACE_ID, traceparent } from '../samples.js'

describe('An answer', () => {
  it('writes zero values, sequences as text, and dates with milliseconds', async () => {
    const { call } = await openHost()
    const { text } = await call('GET', '/v1/projects/portal')
    expect(text).toContain('"projectRoleAssertion":false')
    expect(text).toContain('"privateLabelingSetting":"PRIVATE_LABELING_SETTING_UNSPECIFIED"')
    expect(text).toMatch(/"sequence":"\d+"/)
    expect(text).toContain('"creationDate":"2026-02-03T04:05:06.000Z"')
  })

  it('has warnings only when there is one', async () => {
    const { call } = await openHost()
    const path = '/v1/idps/oidc'
    const provider = { name: 'n', clientId: 'c', clientSecret: 's' }
    const add = async (issuer: string) =>
      (await call('POST', path, JSON.stringify({ ...provider, issuer }))).json
    expect(Object.keys(await add('https://idp.example'))).toEqual(['details', 'idpId'])
    expect((await add('http://idp.example')).warnings).toEqual([
      { field: 'issuer', description: 'should be an https URL' },
    ])
  })

  it('leaves texts that look like dates as they are', async () => {
    const { call } = await openHost()
    const name = '"creationDate":"2026-02-03T04:05:06Z"'
    await call('PUT', '/v1/projects/portal', JSON.stringify({ name }))
    expect((await call('GET', '/v1/projects/portal')).json.project.name).toBe(name)
  })

  it('says in whole seconds when a call may be sent again', async () => {
    const { call, failures } = await openHost((store) => ({
      ...store,
      lastPosition: async () => {
        throw Object.assign(new Error('away'), { retryAfter: 1_500 })
      },
    }))
    const { status, headers } = await call('GET', '/v1/projects/portal', undefined, { traceparent })
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(failures).toMatchObject([{ failure: { correlationId: TRACE_ID } }])
    for (const path of ['/v1/other', '/v1/projects/a%20b'])
      expect((await call('GET', path)).headers.get('retry-after')).toBeNull()
  })

  it('repeats no secret, however wrong the request is', async () => {
    const { call, failures } = await openHost()
    const secret = 918273645
    const bodies = [
      { clientSecret: secret },
      { clientSecret: [String(secret)] },
      { clientSecret: { deep: String(secret) } },
      { clientSecret: String(secret), scopes: String(secret), stylingType: String(secret) },
      { clientSecret: String(secret), issuer: '' },
    ]
    for (const body of bodies) {
      const path = '/claviger.v1.IdentityProviderService/AddOidcIdentityProvider'
      const answer = await call('POST', path, JSON.stringify(body))
      expect(answer.status).toBe(400)
      const shown = `${answer.text}${Buffer.from(answer.text, 'base64')}`
      expect(shown).not.toContain(String(secret))
    }
    expect(failures).toEqual([])
  })
})
