import { readFileSync } from 'node:fs'
import type { DescMethod } from '@bufbuild/protobuf'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { httpRuleOf } from '../../../src/transport/http/rest/http-rule.js'
import { transportOptions } from '../host.js'
import { services } from '../services.js'

/** A host that notes which methods are called, and which permissions they ask for. */
const openNoting = () => {
  const called: string[] = []
  const asked: string[] = []
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: ({ permission }) => {
      asked.push(permission)
      return true
    },
    hooks: { onCall: ({ method }) => called.push(method) },
  })
  const handler = fetchHandler(iam, transportOptions().options)
  return { called, asked, handler }
}

/** One object of each type, so that every permission is asked for. */
const DESIRED = '{"projects":[{"roles":[]}],"identityProviders":[{}]}'

/** A row of the table: what a request to the path of `rpc` does. */
const rowOf = async (rpc: DescMethod): Promise<string> => {
  const { verb, template, queryFields, hasBody } = httpRuleOf(rpc)!
  const isRoleKey = queryFields.some(({ name }) => name === 'role_key')
  const path = `${template}${isRoleKey ? '?role_key={role_key}' : ''}`
  const { called, asked, handler } = openNoting()
  const request = new Request(`http://localhost${path.replaceAll(/[{}]/g, '')}`, {
    method: verb,
    headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
    ...(hasBody && { body: rpc.name === 'ApplyAccess' ? DESIRED : '{}' }),
  })
  await (await handler(request)).text()
  const permissions = asked.map((permission) => `\`${permission}\``).join(', ')
  return `| \`${verb} ${path}\` | \`${called.join(', ')}\` | ${permissions} |`
}

it('The guide has every path, with the method of the library and its permissions', async () => {
  const guide = readFileSync(new URL('../../../docs/guides/transport.md', import.meta.url), 'utf8')
  const rows: string[] = []
  for (const rpc of services.flatMap(({ methods }) => methods)) rows.push(await rowOf(rpc))
  const told = guide.split('\n').filter((line) => /^\| `[A-Z]+ \/v1\//.test(line))
  expect(told).toEqual(rows)
})
