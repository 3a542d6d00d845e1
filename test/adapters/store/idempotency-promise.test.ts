import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { createIam } from '../../../src/create-iam.js'
import { everything, good, oldCipher, refusal } from '../../application/host.js'
import { type OpenStore, STORES } from '../../application/stores.js'
import { newSchema, serverForFile } from '../postgres/test-schemas.js'

const server = serverForFile()

const stores: readonly { readonly name: string; readonly open: OpenStore }[] = [
  ...STORES,
  {
    name: 'PostgreSQL',
    open: () => openPostgres({ connectionString: server.connectionString, schema: newSchema() }),
  },
]

const caller = { userId: 'alice', orgId: 'acme', permissions: everything }
const context = { caller }
const keyed = { caller, idempotencyKey: 'a key drawn at random' }
const portal = { id: 'portal' }

const opened = async (open: OpenStore) => {
  const { store, close } = await open()
  const iam = createIam({ store, secrets: oldCipher, authorize: () => true })
  await good(iam.projects.add({ ...portal, name: 'First' }, context))
  return { store, iam, [Symbol.asyncDispose]: close }
}

describe.each(stores)('A write under an idempotency key, on $name', ({ open }) => {
  it('that changed nothing uses up no key: a repeat is decided again', async () => {
    await using host = await opened(open)
    const { iam } = host
    const rename = () => iam.projects.patch({ ...portal, name: 'First' }, keyed)
    expect(await good(rename())).toMatchObject({ changed: false })
    await good(iam.projects.patch({ ...portal, name: 'Of another' }, context))
    const repeated = await good(rename())
    expect(repeated).toMatchObject({ changed: true })
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ name: 'First' })

    await good(iam.projects.patch({ ...portal, name: 'Of another' }, context))
    expect(await good(rename())).toEqual(repeated)
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ name: 'Of another' })
  })

  it('that was refused uses up no key: a repeat is decided again', async () => {
    await using host = await opened(open)
    const { iam } = host
    const role = { projectId: 'portal', roleKey: 'editor' }
    const rename = () => iam.projectRoles.patch({ ...role, displayName: 'Author' }, keyed)
    expect(await refusal(rename())).toMatchObject({ kind: 'NotFound' })
    await good(iam.projectRoles.add({ ...role, displayName: 'Editor' }, context))
    const repeated = await good(rename())
    expect(repeated).toMatchObject({ changed: true })
    await good(iam.projectRoles.patch({ ...role, displayName: 'Of another' }, context))
    expect(await good(rename())).toEqual(repeated)
    expect(
      await good(iam.projectRoles.get(role, context).map(({ displayName }) => displayName)),
    ).toBe('Of another')
  })

  it('promises the same over the wire', async () => {
    await using host = await opened(open)
    const handler = fetchHandler(host.iam, { authenticate: () => caller })
    const put = async (name: string, key?: string) => {
      const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) }
      const body = JSON.stringify({ name })
      const init = { method: 'PUT', headers, body }
      const answer = await handler(new Request('http://localhost/v1/projects/portal', init))
      return { status: answer?.status, body: await answer?.json() }
    }
    const sequenceOf = async () =>
      String((await good(host.iam.projects.get(portal, context))).details.sequence)

    const before = await sequenceOf()
    expect(await put('First', 'k')).toMatchObject({
      status: 200,
      body: { details: { sequence: before } },
    })
    await put('Of another')
    const repeated = await put('First', 'k')
    expect(repeated).toMatchObject({
      status: 200,
      body: { details: { sequence: await sequenceOf() } },
    })
    await put('Of another')
    expect(await put('First', 'k')).toEqual(repeated)
    expect(await good(host.iam.projects.get(portal, context))).toMatchObject({ name: 'Of another' })
  })
})
