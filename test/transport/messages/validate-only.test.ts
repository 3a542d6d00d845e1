import { describe, expect, it } from 'vitest'
import { callers } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'

const context = { caller: callers['admin'] }

describe('validateOnly', () => {
  it.each([
    ['DELETE', '/v1/projects/portal?validate_only=true', undefined],
    ['DELETE', '/v1/projects/portal?validateOnly=true', undefined],
    ['POST', '/v1/projects/portal:deactivate?validate_only=true', undefined],
    ['POST', '/v1/projects/portal:deactivate', '{"validateOnly":true}'],
    ['PUT', '/v1/projects/portal', '{"name":"X","validateOnly":true}'],
    ['PATCH', '/v1/projects/portal', '{"name":"X","validate_only":true}'],
  ] as const)('records nothing: %s %s %s', async (verb, path, body) => {
    const { iam, call } = await openHost()
    const before = await iam.projects.get({ id: 'portal' }, context)
    const answer = await call(verb, path, body)
    expect(answer.status).toBe(200)
    expect(answer.json.planned.changed).toBe(true)
    expect(answer.json.planned.changes).toHaveLength(1)
    expect(answer.headers.get('etag')).toBe(`"${before._unsafeUnwrap().details.sequence}"`)
    expect(await iam.projects.get({ id: 'portal' }, context)).toEqual(before)
  })

  it.each(['"true"', '1', '[]', '{}'])(
    'is refused, and nothing is recorded, as %s',
    async (value) => {
      const { iam, call } = await openHost()
      const body = `{"name":"X","validateOnly":${value}}`
      for (const [verb, path, sent] of [
        ['PUT', '/v1/projects/portal', body],
        ['POST', '/claviger.v1.ProjectService/UpdateProject', `{"id":"portal",${body.slice(1)}`],
        ['DELETE', `/v1/projects/portal?validate_only=${encodeURIComponent(value)}`, undefined],
      ] as const) {
        const answer = await call(verb, path, sent)
        expect(violationsIn(answer.json)).toEqual({ validateOnly: 'must be true or false' })
      }
      const { name } = (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap()
      expect(name).toBe('Portal')
    },
  )

  it('is not a field of a patch: a mask cannot name it', async () => {
    const { call } = await openHost()
    const body = '{"name":"X","validateOnly":true,"updateMask":"name,validateOnly"}'
    const answer = await call('PATCH', '/v1/projects/portal', body)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['update_mask'])
  })

  it('is not a parameter of reads', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/projects/portal?validate_only=true')
    expect(violationsIn(answer.json)).toEqual({
      validate_only: 'is not a query parameter of this method',
    })
  })

  it('leaves answers of other calls as they were', async () => {
    const { call } = await openHost()
    for (const body of [
      '{"name":"X"}',
      '{"name":"Y","validateOnly":false}',
      '{"name":"Z","validateOnly":null}',
    ])
      expect(Object.keys((await call('PUT', '/v1/projects/portal', body)).json)).toEqual([
        'details',
      ])
  })

  it('shows no secret, sealed or not', async () => {
    const { call } = await openHost()
    const body = '{"clientSecret":"hush hush","validateOnly":true}'
    const { json, text } = await call('PATCH', '/v1/idps/corporate', body)
    expect(json.planned.changes).toEqual([{ field: 'clientSecret', changed: true }])
    expect(text).not.toMatch(/hush|aes/)
  })
})
