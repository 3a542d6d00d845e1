import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { objectTypes } from '../../src/console/browser/object-types.js'
import { texts } from '../../src/console/browser/texts.js'
import { fieldsOf } from '../../src/console/browser/write.js'
import { aggregates, EVENT_TYPES } from '../../src/domain/aggregates.js'
import { openHost } from './host.js'

it('shows the bounds of the OpenAPI document in forms', async () => {
  const host = await openHost('')
  const handler = fetchHandler(host.iam, { authenticate: () => undefined })
  const document = await (await handler(new Request('http://x/openapi.json'))).text()
  await host.close()
  const { paths, components } = JSON.parse(document)
  const documented = Object.values<Record<string, object>>(paths).flatMap(Object.values)
  const compared: string[] = []
  for (const { form, ids, operations } of objectTypes)
    for (const operation of [operations.add, operations.update].filter(
      (each) => each !== undefined,
    )) {
      const suffix = new RegExp(`\\b_?${operation.name}$`)
      const found = documented.find(({ operationId }) => suffix.test(operationId ?? ''))
      const schema = found?.requestBody.content['application/json'].schema
      const name = schema?.$ref?.split('/').at(-1)
      const { properties } = name ? components.schemas[name] : schema
      const names = operation === operations.add ? form : form.filter((id) => !ids.includes(id))
      for (const { name: field, least, most } of fieldsOf(operation, names)) {
        if (most === undefined) continue
        const { minLength, maxLength, minItems, maxItems } = properties[field]
        expect([field, minLength ?? minItems ?? 0, maxLength ?? maxItems]).toEqual([
          field,
          least,
          most,
        ])
        compared.push(`${operation.name}.${field}`)
      }
    }
  expect(compared).toContain('PatchIdentityProvider.clientSecret')
  expect(compared).toContain('AddDomain.domain')
})

it('asks for the permissions of the aggregates', () => {
  const needed = objectTypes.map(({ type, permission }) => [type, permission])
  const written = Object.values(aggregates).map(({ type, permissions }) => [
    type,
    permissions.write,
  ])
  expect(needed.toSorted()).toEqual(written.toSorted())
})

it('has a text for every event that a history shows', () => {
  const shown = EVENT_TYPES.filter((type) => !/^(verified_domain|setup_link_token)\./.test(type))
  expect(Object.keys(texts.types).toSorted()).toEqual(shown.toSorted())
})
