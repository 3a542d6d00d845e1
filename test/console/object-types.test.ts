import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { objectTypes } from '../../src/console/browser/object-types.js'
import { texts } from '../../src/console/browser/texts.js'
import { EVENT_TYPES } from '../../src/domain/kinds.js'
import { openHost } from './host.js'

const SCHEMAS: Readonly<Record<string, string>> = {
  identity_provider: 'PatchIdentityProvider',
  project: 'PatchProject',
  project_role: 'PatchProjectRole',
  project_grant: 'UpdateProjectGrant',
  user_grant: 'UpdateUserGrant',
  domain: 'SetDomainProvider',
}

it('shows the bounds of the OpenAPI document in forms', async () => {
  const host = await openHost('')
  const handler = fetchHandler(host.iam, { authenticate: () => undefined })
  const document = await (await handler(new Request('http://x/openapi.json'))).text()
  await host.close()
  const { paths } = JSON.parse(document)
  const operations = Object.values<Record<string, object>>(paths).flatMap(Object.values)
  const compared: string[] = []
  for (const { type, form } of objectTypes) {
    const operation = operations.find(({ operationId }) => operationId?.endsWith(SCHEMAS[type]))
    const schema = operation?.requestBody.content['application/json'].schema
    const name = schema?.$ref?.split('/').at(-1)
    const { properties } = name ? JSON.parse(document).components.schemas[name] : schema
    for (const { name: field, least, most, isNew } of form) {
      if (isNew || most === undefined) continue
      const { minLength, maxLength, minItems, maxItems } = properties[field]
      expect([field, minLength ?? minItems ?? 0, maxLength ?? maxItems]).toEqual([
        field,
        least ?? 0,
        most,
      ])
      compared.push(field)
    }
  }
  expect(compared).toContain('clientSecret')
})

it('has a text for every event that a history shows', () => {
  const shown = EVENT_TYPES.filter((type) => !type.startsWith('verified_domain.'))
  expect(Object.keys(texts.types).toSorted()).toEqual(shown.toSorted())
})
