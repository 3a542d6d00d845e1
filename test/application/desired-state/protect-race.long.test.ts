import { setTimeout as pause } from 'node:timers/promises'
import type { ResultAsync } from 'neverthrow'
import { expect, it } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import type { EventStore, Iam, IamError, RecordedEvent } from '../../../src/index.js'
import { newSchema, serverForFile } from '../../adapters/postgres/test-schemas.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { context, good, iamOn, logOf } from '../host.js'
import { STORES } from '../stores.js'

const server = serverForFile()

/** Stores of several processes: each call opens another handle of the same one. */
const shared: readonly (readonly [string, () => Promise<() => Promise<EventStore>>])[] = [
  [
    'memory',
    async () => {
      const [memory] = STORES
      const opened = await memory?.open()
      if (!opened) throw new Error('There is a store in memory')
      return async () => opened.store
    },
  ],
  [
    'SQLite',
    async () => {
      const file = temporaryFile()
      return async () => openSqlite(file).store
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const schema = newSchema()
      const { connectionString } = server
      return async () => (await openPostgres({ connectionString, schema, maxConnections: 2 })).store
    },
  ],
]

const WRITERS = 16
const ROUNDS = 4

const role = { projectId: 'portal', roleKey: 'editor' }
const grant = { projectId: 'portal', grantedOrgId: 'globex' }

type Write = (iam: Iam, name: string) => ResultAsync<unknown, IamError>

/** Changes of what is declared, in turns. What removes a role adds it again. */
const writes: readonly Write[] = [
  ({ projects }, name) => projects.patch({ id: 'portal', name }, context),
  ({ projectRoles }, displayName) => projectRoles.patch({ ...role, displayName }, context),
  ({ projectRoles }) => projectRoles.remove(role, context),
  ({ projectRoles }, displayName) => projectRoles.add({ ...role, displayName }, context),
  ({ projectGrants }) => projectGrants.deactivate(grant, context),
  ({ projectGrants }) => projectGrants.reactivate(grant, context),
  ({ identityProviders }, name) => identityProviders.patch({ idpId: 'google', name }, context),
]

const declared = (round: number, protect: boolean) => ({
  managedBy: 'code',
  protect,
  projects: [
    {
      id: 'portal',
      name: `Portal ${round}`,
      roles: [{ roleKey: 'editor', displayName: `Editor ${round}` }],
      grants: [{ grantedOrgId: 'globex', roleKeys: ['editor'] }],
    },
  ],
  identityProviders: [
    { idpId: 'google', name: `Google ${round}`, clientId: 'c', clientSecret: 's', issuer: 'i' },
  ],
})

/** The events of others on objects that were protected then, by the metadata alone. */
const intrusions = (log: readonly RecordedEvent[]): readonly RecordedEvent[] => {
  const isProtected = new Map<string, boolean>()
  return log.filter(({ stream, type, metadata: { managedBy, protect = false } }) => {
    const isIntrusion = isProtected.get(stream) === true && managedBy !== 'code'
    if (managedBy === 'code') isProtected.set(stream, protect && !type.endsWith('.removed'))
    return isIntrusion
  })
}

it.each(shared)(
  '%s: while sixteen write and one applies, nobody else changes what is protected',
  async (_, open) => {
    const openHandle = await open()
    const store = await openHandle()
    const iam = iamOn(store)
    await good(iam.apply(declared(0, true), context))
    let isOver = false
    const kinds = new Map<string, number>()
    const write = async (n: number) => {
      const own = iamOn(await openHandle())
      for (let turn = n; !isOver; turn++) {
        const written = await writes[turn % writes.length]?.(own, `by ${n}`)
        const kind = written?.isErr() ? written.error.kind : 'ok'
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        await pause(100 + 10 * n)
      }
    }
    const writing = Array.from({ length: WRITERS }, (_each, n) => write(n))
    for (let round = 1; round <= ROUNDS; round++) {
      // Every other round lifts the protection, so that there is something to race for.
      await good(iam.apply(declared(round, round % 2 === 0), context))
      await pause(300)
    }
    isOver = true
    await Promise.all(writing)
    const log = await logOf(store)
    expect(intrusions(log)).toEqual([])
    expect(log.filter(({ metadata }) => metadata.managedBy === undefined).length).toBeGreaterThan(0)
    expect(kinds.get('Protected')).toBeGreaterThan(0)
    expect((await good(iam.projects.get({ id: 'portal' }, context))).name).toBe(`Portal ${ROUNDS}`)
    expect((await good(iam.projectRoles.get(role, context))).protectedBy).toBe('code')
  },
)
