import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { fetchHandler } from 'claviger/transport'
import { operationsOf } from '../../../src/transport/operations/services.js'
import { placesOf } from '../../../src/transport/routes.js'
import type { WireMethod } from '../../../src/transport/wire.js'
import { callers } from '../../transport/host.js'

/** A host that notes which methods are called, and which permissions they ask for. */
const openNoting = () => {
  const called: string[] = []
  const asked = new Set<string>()
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: ({ permission }) => {
      asked.add(permission)
      return true
    },
    hooks: { onCall: ({ method }) => called.push(method) },
  })
  const handler = fetchHandler(iam, { authenticate: () => callers['admin'] })
  return { called, asked, iam, handler }
}

/** The examples of bodies that the document of the interface has, by the name of the rpc. */
const examplesOf = async ({ handler }: ReturnType<typeof openNoting>) => {
  const answer = await handler(new Request('http://localhost/openapi.json'))
  const { paths }: { paths: Record<string, Record<string, DocumentedOperation>> } =
    await answer.json()
  const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs))
  return new Map(
    operations.map(({ operationId, requestBody }) => [
      operationId,
      requestBody?.content['application/json'].example,
    ]),
  )
}

interface DocumentedOperation {
  readonly operationId: string
  readonly requestBody?: { readonly content: { 'application/json': { example: unknown } } }
}

/** Where the permissions that are asked about are not those that the caller needs. */
const PERMISSIONS_IN_WORDS: Readonly<Record<string, string>> = {
  ListPermissions: 'none',
  TestIdentityProvider: '`identity_provider.write`, asked by a patch that is a dry run',
}

/** What a request to the path of a method does. */
const rowOf = async (method: WireMethod, example: unknown): Promise<string> => {
  const { verb = '', path: template, hasBody } = method
  const needed = placesOf(method).inQuery.filter(({ isRequired }) => isRequired)
  const query = needed.map(({ protoName }) => `${protoName}={${protoName}}`).join('&')
  const path = `${template}${query && `?${query}`}`
  const { called, asked, handler } = openNoting()
  const request = new Request(`http://localhost${path.replaceAll(/[{}]/g, '')}`, {
    method: verb,
    headers: { 'content-type': 'application/json' },
    ...(hasBody && { body: JSON.stringify(example) }),
  })
  await (await handler(request)).text()
  const cells = [
    `\`${verb} ${path}\``,
    `\`${method.service.split('.').at(-1)}/${method.name}\``,
    called.map((method) => `\`${method}\``).join(', '),
    PERMISSIONS_IN_WORDS[method.name] ??
      [...asked].map((permission) => `\`${permission}\``).join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Every path, with its rpc, the method of the library and its permissions. */
export const pathsTable = async (): Promise<string> => {
  const host = openNoting()
  const examples = await examplesOf(host)
  const rows: string[] = []
  for (const { method } of operationsOf(host.iam))
    rows.push(await rowOf(method, examples.get(method.name)))
  const head = ['| method and path | rpc | in the library | permission |', '|---|---|---|---|']
  return [...head, ...rows].join('\n')
}
