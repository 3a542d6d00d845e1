import { beforeEach, describe, expect, it } from 'vitest'
import {
  generateSignerKey,
  logCheckpoint,
  proveConsistency,
  proveInclusion,
} from '../../../src/application/evidence/index.js'
import {
  copyEvents,
  type EventStore,
  memoryEventStore,
  memoryReadModel,
  verify,
} from '../../../src/index.js'
import { addSamples, good, type Iam, logOf, start } from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

/** Calls a function that reads the log with well-formed options, and `more`. */
const calls: Readonly<Record<string, (more: object) => unknown>> = {
  subscribe: (more) => iam.subscribe(more),
  catchUp: (more) => iam.catchUp(memoryReadModel(), more),
  run: (more) => iam.run(memoryReadModel(), { signal: AbortSignal.abort(), ...more }),
  checkSecrets: (more) => iam.checkSecrets(more),
  verify: (more) => verify(store, more),
  copyEvents: (more) => copyEvents(store, memoryEventStore(), more),
  logCheckpoint: (more) => logCheckpoint(store, { signer: 's', ...more }),
  proveInclusion: (more) =>
    proveInclusion(store, { position: 1n, checkpoint: 'c', keys: [], ...more }),
  proveConsistency: (more) =>
    proveConsistency(store, { earlier: 'e', later: 'l', keys: [], ...more }),
}

describe.each(Object.keys(calls))('%s', (name) => {
  const call = (more: object) => calls[name]?.(more)

  it('refuses an option that it does not have', () => {
    expect(() => call({ siganl: undefined })).toThrow(TypeError)
    expect(() => call({ siganl: undefined })).toThrow(
      name === 'subscribe'
        ? 'siganl is not a known field'
        : `${name} has no option siganl; it has `,
    )
  })

  it('refuses a signal that is not one', () => {
    for (const signal of [{}, 'signal', new AbortController(), null])
      expect(() => call({ signal })).toThrow(new TypeError('signal must be an AbortSignal'))
  })

  it('takes undefined for an absent option', () => {
    expect(() => call({ signal: undefined })).not.toThrow()
  })

  it('takes a signal of another realm', () => {
    const { signal } = new AbortController()
    const foreign = {
      aborted: false,
      addEventListener: signal.addEventListener.bind(signal),
      removeEventListener: signal.removeEventListener.bind(signal),
    }
    expect(() => call({ signal: foreign })).not.toThrow()
  })
})

it.each(['catchUp', 'run', 'verify', 'copyEvents', 'logCheckpoint'])(
  '%s refuses an onProgress that is not a function',
  (name) => {
    expect(() => calls[name]?.({ onProgress: {} })).toThrow(
      new TypeError('onProgress must be a function'),
    )
  },
)

it.each([
  ['secrets', {}],
  ['checkpoints', 'note'],
  ['keys', 'key'],
])('verify refuses malformed %s', (option, value) => {
  expect(() => verify(store, { [option]: value })).toThrow(new RegExp(`^${option} must be`))
})

it('makes a checkpoint with every option', async () => {
  const { signer } = await generateSignerKey('acme.example')
  const since = await good(logCheckpoint(store, { signer }))
  const options = { signer, since, signal: undefined, onProgress: () => undefined }
  expect(await good(logCheckpoint(store, options))).toContain(`\n${(await logOf(store)).length}\n`)
})
