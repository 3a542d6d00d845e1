import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  memoryEventStore,
  type RecordedEvent,
} from '../../src/index.js'
import { PROJECT_DEFAULTS } from '../defaults.js'
import { junk, numRuns } from './inputs.js'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const caller = { userId: 'u1', orgId: 'acme' }

/** A log with an event of each aggregate. */
const logOf = async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryEventStore()
  const iam = createIam({ store, secrets, authorize: () => true })
  const oidc = { clientId: 'c', clientSecret: 's', issuer: 'https://i.example.com' }
  await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller })
  await iam.projectRoles.add(
    { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' },
    { caller },
  )
  await iam.identityProviders.addOidc({ ...oidc, idpId: 'google', name: 'Google' }, { caller })
  return store.readAll(0n, 100)
}

/** A store that gives out these events, whatever they hold. */
const storeOf = (events: readonly RecordedEvent[]): EventStore => ({
  ...memoryEventStore(),
  readStream: async (stream) => events.filter((event) => event.stream === stream),
  readStreams: async (reads) =>
    reads.map(({ stream }) => events.filter((event) => event.stream === stream)),
  readAll: async (after) => events.filter(({ position }) => position > after),
  lastPosition: async () => events.at(-1)?.position ?? 0n,
})

const log = await logOf()
const field = fc.constantFrom('type', 'schemaVersion', 'data', 'metadata')

/** One event of the log with one of its fields, or one field of its data, replaced. */
const damaged = fc
  .tuple(fc.nat(log.length - 1), fc.oneof(field, fc.constantFrom('data.id', 'data.name')), junk)
  .map(([at, path, value]) =>
    log.map((event, index): RecordedEvent => {
      if (index !== at) return event
      const [top = '', inner] = path.split('.')
      const replaced = inner === undefined ? value : { ...event.data, [inner]: value }
      return { ...event, [top]: replaced }
    }),
  )

describe('Any stored event', () => {
  it('is read, or stops its reader with an error that names the place', async () => {
    const property = fc.asyncProperty(damaged, async (events) => {
      const iam = createIam({ store: storeOf(events), secrets, authorize: () => true })
      const answers = [
        await iam.projects.get({ id: 'portal' }, { caller }),
        await iam.identityProviders.list({}, { caller }),
        await iam.history.list({}, { caller }),
        await iam.projects.update(
          { ...PROJECT_DEFAULTS, id: 'portal', name: 'New' },
          { caller, dryRun: true },
        ),
        await iam.history.stateAt(
          { object: { type: 'project', id: 'portal' }, sequence: 2n ** 62n },
          { caller },
        ),
      ]
      for (const answer of answers) {
        if (answer.isOk()) continue
        expect(['UnknownEvent', 'CorruptEvent', 'NotFound']).toContain(answer.error.kind)
      }
    })
    await fc.assert(property, { numRuns })
  })
})

describe('Any text as a sealed secret', () => {
  it('is refused, never thrown', async () => {
    const property = fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const owner = { orgId: 'acme', idpId: 'google' }
      const sealed = await secrets.seal('s', owner)
      for (const forged of [text, `aes1.k1.${text}`, sealed.slice(0, -1) + text.slice(0, 1)]) {
        // biome-ignore lint/suspicious/noExplicitAny: a forged seal has no brand.
        const opened = await secrets.open(forged as any, owner)
        expect(opened.isErr() || forged === sealed).toBe(true)
      }
    })
    await fc.assert(property, { numRuns })
  })
})
