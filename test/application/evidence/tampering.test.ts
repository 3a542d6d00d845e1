import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  eventLine,
  generateSignerKey,
  logCheckpoint,
  proveConsistency,
  proveInclusion,
  type SignerKey,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/application/evidence/index.js'
import { readSigner, signNote } from '../../../src/application/evidence/signed-note.js'
import {
  type EventCount,
  type EventStore,
  memoryEventStore,
  type RecordedEvent,
  verify,
} from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { type PostgresServer, startPostgres } from '../../postgres-server.js'
import { addSamples, context, good, iamOn, logOf, refusal } from '../host.js'
import { hasPython, PYTHON } from './python.js'

let server: PostgresServer | undefined
let key: SignerKey
beforeAll(async () => {
  key = await generateSignerKey('acme.example/iam')
})
afterAll(() => server?.[Symbol.asyncDispose]())

interface Opened {
  readonly store: EventStore
  readonly close: () => Promise<void>
}
const STORES: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: async () => ({ store: memoryEventStore(), close: async () => undefined }),
  SQLite: async () => openSqlite(temporaryFile()),
  PostgreSQL: async () => {
    server = await startPostgres({ settings: ['fsync=off'] })
    return openPostgres({ connectionString: server.connectionString })
  },
}

/** A log of every kind of object, with many changes of one. */
const filled = async (store: EventStore, changes = 60): Promise<void> => {
  const iam = iamOn(store)
  await addSamples(iam)
  for (let n = 0; n < changes; n++)
    await good(iam.projects.add({ id: `p${n}`, name: `Project ${n} \u00e9\u{1f600}` }, context))
}

/** A store that holds these events and nothing else. */
const holding = (events: readonly RecordedEvent[]): EventStore => ({
  ...memoryEventStore(),
  readAll: async (after, limit) =>
    events.filter(({ position }) => position > after).slice(0, limit),
})

type Tamper = (events: RecordedEvent[], at: number) => void
const changing =
  (change: (event: RecordedEvent) => Partial<RecordedEvent>): Tamper =>
  (events, at) => {
    events[at] = { ...events[at]!, ...change(events[at]!) }
  }

/** Single changes, each of which leaves a log that looks like one. */
const TAMPERS: Readonly<Record<string, Tamper>> = {
  'other data': changing(({ data }) => ({ data: { ...data, name: 'Another name' } })),
  'another actor': changing(({ metadata }) => ({
    metadata: { ...metadata, actor: { ...metadata.actor, userId: 'mallory' } },
  })),
  'another append': changing(({ appendId }) => ({ appendId: `${appendId.slice(0, -1)}_` })),
  'another time': changing(({ position }) => ({ position: position + 1n })),
  'another version of the shape': changing(() => ({ schemaVersion: 9 })),
  'one removed': (events, at) => events.splice(at, 1),
  'one inserted': (events, at) =>
    events.splice(at, 0, { ...events[at]!, position: events[at]!.position - 1n }),
  'two swapped': (events, at) => {
    const other = at === 0 ? 1 : at - 1
    const [a, b] = [events[at]!, events[other]!]
    events[at] = { ...b, position: a.position }
    events[other] = { ...a, position: b.position }
  },
  'the end cut off': (events, at) => events.splice(at),
}
const tampers = Object.entries(TAMPERS)

describe.each(Object.entries(STORES))('A log on %s', (_, open) => {
  let opened: Opened
  let events: readonly RecordedEvent[]
  let checkpoint: string
  beforeAll(async () => {
    opened = await open()
    await filled(opened.store)
    checkpoint = await good(logCheckpoint(opened.store, { signer: key.signer }))
    events = await logOf(opened.store)
  })
  afterAll(() => opened?.close())

  it('agrees with its checkpoint, also after more was recorded', async () => {
    const options = { checkpoints: [checkpoint], keys: [key.verifier] }
    expect(await verify(opened.store, options)).toMatchObject({ value: { events: events.length } })
    await good(iamOn(opened.store).projects.add({ id: 'later', name: 'Later' }, context))
    expect((await verify(opened.store, options)).isOk()).toBe(true)
    const next = await good(logCheckpoint(opened.store, { signer: key.signer, since: checkpoint }))
    expect(next).toBe(await good(logCheckpoint(opened.store, { signer: key.signer })))
    const both = { checkpoints: [next, checkpoint], keys: [key.verifier] }
    expect((await verify(opened.store, both)).isOk()).toBe(true)
    const asked = { earlier: checkpoint, later: next, keys: [key.verifier] }
    const proof = (await proveConsistency(opened.store, asked))._unsafeUnwrap()
    expect(await verifyConsistency({ ...asked, proof })).toBe(true)
    expect(await verifyConsistency({ ...asked, earlier: next, later: checkpoint, proof })).toBe(
      false,
    )
  })

  it('proves each of its events', async () => {
    for (const { position } of [events[0]!, events[7]!, events.at(-1)!]) {
      const asked = { position, checkpoint, keys: [key.verifier] }
      const proof = (await proveInclusion(opened.store, asked))._unsafeUnwrap()
      expect(proof.line).toContain(`"position":"${position}"`)
      expect(await verifyInclusion({ proof, checkpoint, keys: [key.verifier] })).toBe(true)
      const line = proof.line.replace('alice', 'mallory')
      expect(
        await verifyInclusion({ proof: { ...proof, line }, checkpoint, keys: [key.verifier] }),
      ).toBe(false)
      expect(await verifyInclusion({ proof, checkpoint, keys: [] })).toBe(false)
      const path = ['x', ...proof.path.slice(1)]
      expect(
        await verifyInclusion({ proof: { ...proof, path }, checkpoint, keys: [key.verifier] }),
      ).toBe(false)
    }
  })
})

/** A hash in base64 whose last character has an unused bit set. */
const odd = (text: string): string => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const other = text.replace(/.=$/, ([digit = '']) => `${digits[digits.indexOf(digit) + 1]}=`)
  if (atob(other) !== atob(text) || other === text) throw new Error('The text has the same bytes')
  return other
}

describe('A malformed proof', () => {
  it('is false, and throws nothing', async () => {
    const store = memoryEventStore()
    await filled(store)
    const [event] = await logOf(store)
    const checkpoint = await good(logCheckpoint(store, { signer: key.signer }))
    const by = { checkpoint, keys: [key.verifier] }
    const asked = { position: event!.position, ...by }
    const proof = (await proveInclusion(store, asked))._unsafeUnwrap()
    const { line, index, path } = proof
    const malformed: readonly unknown[] = [
      undefined,
      null,
      'proof',
      [],
      {},
      { line, index },
      { line, path },
      { index, path },
      { line: 5, index, path },
      { line: null, index, path },
      { line: `${line}\ud800`, index, path },
      { line, index: '0', path },
      { line, index: Number.NaN, path },
      { line, index, path: null },
      { line, index, path: { ...path } },
      { line, index, path: [5, ...path.slice(1)] },
      { line, index, path: [null, ...path.slice(1)] },
      // Other texts of the same bytes: unused bits, no padding, a line break.
      { line, index, path: [odd(path[0]!), ...path.slice(1)] },
      { line, index, path: [path[0]!.replace('=', ''), ...path.slice(1)] },
      { line, index, path: [`${path[0]}\n`, ...path.slice(1)] },
    ]
    // From JSON: an auditor may be sent anything.
    for (const each of malformed)
      expect(await verifyInclusion(JSON.parse(JSON.stringify({ ...by, proof: each })))).toBe(false)
    const notes = { earlier: checkpoint, later: checkpoint, keys: [key.verifier] }
    for (const each of [undefined, null, 'proof', {}, [5], [null]])
      expect(await verifyConsistency(JSON.parse(JSON.stringify({ ...notes, proof: each })))).toBe(
        false,
      )
  })
})

test('A proof is of the line itself, not of one that has the same bytes', async () => {
  const store = memoryEventStore()
  await good(iamOn(store).projects.add({ name: 'A \ufffd' }, context))
  const checkpoint = await good(logCheckpoint(store, { signer: key.signer }))
  const by = { checkpoint, keys: [key.verifier] }
  const [event] = await logOf(store)
  const asked = { position: event!.position, ...by }
  const proof = (await proveInclusion(store, asked))._unsafeUnwrap()
  expect(await verifyInclusion({ proof, ...by })).toBe(true)
  const other = { ...proof, line: proof.line.replace('\ufffd', '\ud800') }
  expect(await verifyInclusion({ proof: other, ...by })).toBe(false)
})

describe('A checkpoint goes on', () => {
  test.each([20, 21])('only from one of the same log, of %i events', async (count) => {
    const store = memoryEventStore()
    await filled(store, count)
    const events = await logOf(store)
    const since = await good(logCheckpoint(store, { signer: key.signer }))
    await good(iamOn(store).projects.add({ id: 'later', name: 'Later' }, context))
    const goingOn = { signer: key.signer, since }
    const whole = await good(logCheckpoint(store, { signer: key.signer }))
    expect(await good(logCheckpoint(store, goingOn))).toBe(whole)
    const lost = memoryEventStore()
    await lost.restore(events.slice(0, -1))
    await good(iamOn(lost).projects.add({ id: 'other', name: 'Other' }, context))
    const shorter = memoryEventStore()
    await shorter.restore(events.slice(1).filter(({ version }) => version === 1))
    // Another server wrote another event at the same position.
    const last = events.at(-1)!
    const split = memoryEventStore()
    await split.restore([
      ...events.slice(0, -1),
      { ...last, data: { ...last.data, name: 'Other' } },
    ])
    await good(iamOn(split).projects.add({ id: 'later', name: 'Later' }, context))
    for (const forked of [lost, shorter, split])
      expect(await refusal(logCheckpoint(forked, goingOn))).toMatchObject({
        kind: 'InvalidArgument',
        violations: [{ field: 'since' }],
      })
  })

  test.each([20, 21])(
    'also from one of version 0.2, without its last leaf, of %i events',
    async (count) => {
      const store = memoryEventStore()
      await filled(store, count)
      const events = await logOf(store)
      const signed = await good(logCheckpoint(store, { signer: key.signer }))
      const [text = ''] = signed.split('claviger-leaf ')
      const signer = await readSigner(key.signer)
      const since = await signNote(text, signer!.seed)
      const goingOn = { signer: key.signer, since }
      expect(await good(logCheckpoint(store, goingOn))).toBe(signed)
      const last = events.at(-1)!
      const split = memoryEventStore()
      await split.restore([
        ...events.slice(0, -1),
        { ...last, data: { ...last.data, name: 'Other' } },
      ])
      expect(await refusal(logCheckpoint(split, goingOn))).toMatchObject({
        violations: [{ field: 'since' }],
      })
    },
  )
})

test('A checkpoint goes on beside writers', async () => {
  const store = memoryEventStore()
  await filled(store, 3)
  const since = await good(logCheckpoint(store, { signer: key.signer }))
  for (const written of [1, 2, 3]) {
    let counts = 0
    const busy: EventStore & EventCount = {
      ...store,
      countAfter: async (after) => {
        if (++counts === written)
          await good(iamOn(store).projects.add({ name: 'Meanwhile' }, context))
        return store.countAfter(after)
      },
    }
    const next = await good(logCheckpoint(busy, { signer: key.signer, since }))
    expect(next).toBe(await good(logCheckpoint(store, { signer: key.signer })))
  }
})

// Of what databases store: stored-tampering.long.test.ts.
describe('A log in memory', () => {
  it('shows any single change before the checkpoint, at 1,000 random places', async () => {
    const store = memoryEventStore()
    await filled(store)
    const events = await logOf(store)
    const checkpoint = await good(logCheckpoint(store, { signer: key.signer }))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(events.length - 1),
        fc.constantFrom(...tampers),
        async (at, [, tamper]) => {
          const changed = [...events]
          tamper(changed, at)
          const options = { checkpoints: [checkpoint], keys: [key.verifier] }
          return (await verify(holding(changed), options)).isErr()
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('A checkpoint', () => {
  it('finds what only it can find: every field of an event', async () => {
    const store = memoryEventStore()
    await filled(store, 5)
    const events = await logOf(store)
    const checkpoint = await good(logCheckpoint(store, { signer: key.signer }))
    const [, tamper] = tampers.find(([name]) => name === 'another actor')!
    const changed = [...events]
    tamper(changed, 3)
    expect((await verify(holding(changed))).isOk()).toBe(true)
    const options = { checkpoints: [checkpoint], keys: [key.verifier] }
    expect((await verify(holding(changed), options))._unsafeUnwrapErr()).toEqual({
      kind: 'LogChanged',
      origin: 'acme.example/iam',
      size: events.length,
      agreed: 0,
      isCut: false,
    })
  })

  it('tells up to where an earlier one still holds, and what was cut off', async () => {
    const store = memoryEventStore()
    const { signer, verifier } = key
    const empty = await good(logCheckpoint(store, { signer }))
    await filled(store, 3)
    const first = await good(logCheckpoint(store, { signer, since: empty }))
    const begun = await logOf(store)
    await good(iamOn(store).projects.add({ id: 'x', name: 'X' }, context))
    const last = await good(logCheckpoint(store, { signer, since: first }))
    const options = { checkpoints: [last, empty, first], keys: [verifier] }
    expect((await verify(store, options)).isOk()).toBe(true)
    expect((await verify(holding(begun), options))._unsafeUnwrapErr()).toMatchObject({
      agreed: begun.length,
      isCut: true,
    })
  })

  it.each([
    ['signer', { signer: 'x' }],
    ['since', { since: 'x' }],
  ])('is not made with a wrong %s', async (field, wrong) => {
    const made = await logCheckpoint(memoryEventStore(), { signer: key.signer, ...wrong })
    expect(made._unsafeUnwrapErr()).toMatchObject({ violations: [{ field }] })
  })

  it('is refused if no trusted key has signed it, and so is an invalid key', async () => {
    const store = memoryEventStore()
    const note = await good(logCheckpoint(store, { signer: key.signer }))
    const other = await generateSignerKey('acme.example/iam')
    const fieldOf = async (options: object) =>
      (await verify(store, options))._unsafeUnwrapErr() as { violations?: { field: string }[] }
    for (const [options, field] of [
      [{ checkpoints: [note] }, 'checkpoints[0]'],
      [{ checkpoints: [note, note], keys: [other.verifier] }, 'checkpoints[0]'],
      [
        { checkpoints: [note, note.replace('\n0\n', '\n1\n')], keys: [key.verifier] },
        'checkpoints[1]',
      ],
      [{ checkpoints: [note], keys: [key.verifier, 'x'] }, 'keys[1]'],
      [{ checkpoints: [5], keys: [key.verifier] }, 'checkpoints[0]'],
    ] as const)
      expect((await fieldOf(options)).violations?.[0]?.field).toBe(field)
    const asked = { position: 5n, checkpoint: note, keys: [key.verifier] }
    const proved = (await proveInclusion(store, asked))._unsafeUnwrapErr()
    expect(proved).toMatchObject({ violations: [{ field: 'position' }] })
  })

  it('does not prove a changed log', async () => {
    const store = memoryEventStore()
    await filled(store, 3)
    const events = await logOf(store)
    const checkpoint = await good(logCheckpoint(store, { signer: key.signer }))
    const changed = [...events]
    TAMPERS['another actor']!(changed, 2)
    const asked = { position: events[5]!.position, checkpoint, keys: [key.verifier] }
    const proved = await proveInclusion(holding(changed), asked)
    expect(proved._unsafeUnwrapErr()).toMatchObject({ kind: 'LogChanged', size: events.length })
  })
})

describe.runIf(hasPython())('A program in another language', () => {
  it('verifies a log by its lines and a checkpoint, and finds a change', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-evidence-'))
    try {
      const store = memoryEventStore()
      await filled(store, 20)
      const file = join(folder, 'checkpoint')
      writeFileSync(file, await good(logCheckpoint(store, { signer: key.signer })))
      await good(iamOn(store).projects.add({ id: 'later', name: 'Later' }, context))
      const lines = (await logOf(store)).map(eventLine)
      const run = (input: readonly string[], verifier = key.verifier) => {
        const parameters = ['docs/examples/verify-log.py', file, verifier]
        try {
          return execFileSync(PYTHON, parameters, {
            input: `${input.join('\n')}\n`,
            encoding: 'utf8',
            stdio: ['pipe', 'pipe', 'pipe'],
          })
        } catch (failed) {
          return String(Reflect.get(Object(failed), 'stderr'))
        }
      }
      expect(run(lines)).toMatch(/^ok: \d+ events, the last at \d+; 1 more are not covered\n$/)
      expect(
        run(lines.map((line, at) => (at === 3 ? line.replace('alice', 'bob') : line))),
      ).toMatch(/^FAULT: the first \d+ events are not those of the checkpoint\n$/)
      expect(run(lines.slice(0, 5))).toMatch(/^FAULT: the log has 5 events/)
      const other = await generateSignerKey('acme.example/iam')
      expect(run(lines, other.verifier)).toBe('FAULT: the checkpoint is not signed by this key\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
