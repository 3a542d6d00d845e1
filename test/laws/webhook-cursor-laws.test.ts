import { describe, expect, test } from 'vitest'
import { BrokenLaw } from '../../src/laws/law.js'
import { webhookCursorLaws } from '../../src/laws/port-laws.js'
import type { WebhookCursors } from '../../src/ports/webhook-cursors.js'
import { memoryCursors } from '../../src/webhooks/cursors.js'

/** Cursors with one fault, and the beginning of the law that must find it. */
interface Fault {
  readonly fault: string
  readonly law: string
  readonly plant: (sound: WebhookCursors) => Partial<WebhookCursors>
}

const oneTurn = () => new Promise(setImmediate)

const FAULTS: readonly Fault[] = [
  {
    fault: 'make a row of nothing',
    law: 'An endpoint has no state',
    plant: (sound) => ({
      read: async (endpoint) => ({ state: '', ...(await sound.read(endpoint)) }),
    }),
  },
  {
    fault: 'forget one of two endpoints',
    law: 'A list of endpoints',
    plant: (sound) => ({ endpoints: async () => (await sound.endpoints?.())?.slice(0, 1) ?? [] }),
  },
  {
    fault: 'cut long states',
    law: 'Every handle reads the state',
    plant: (sound) => ({
      write: (endpoint, write) =>
        sound.write(endpoint, { ...write, state: write.state.slice(0, 60_000) }),
    }),
  },
  {
    fault: 'do not tell names by case',
    law: 'Endpoint names are',
    plant: (sound) => ({ read: (endpoint) => sound.read(endpoint.toLowerCase()) }),
  },
  {
    fault: 'write over any version',
    law: 'A write with another',
    plant: (sound) => ({
      write: async (endpoint, write) =>
        sound.write(endpoint, { ...write, version: (await sound.read(endpoint)).version }),
    }),
  },
  {
    fault: 'compare and write in two steps',
    law: 'Of several simultaneous',
    plant: (sound) => ({
      write: async (endpoint, write) => {
        if ((await sound.read(endpoint)).version !== write.version) return false
        await oneTurn()
        return sound.write(endpoint, { ...write, version: (await sound.read(endpoint)).version })
      },
    }),
  },
  {
    fault: 'give a lease to anybody',
    law: 'A lease has one holder',
    plant: (sound) => ({
      lease: async (endpoint, holder, milliseconds) => {
        const { lease } = await sound.read(endpoint)
        if (lease) await sound.release(endpoint, lease.holder)
        return sound.lease(endpoint, holder, milliseconds)
      },
    }),
  },
  {
    fault: 'do not renew',
    law: 'A lease has one holder',
    plant: (sound) => ({
      lease: async (endpoint, holder, milliseconds) =>
        (await sound.read(endpoint)).lease
          ? undefined
          : sound.lease(endpoint, holder, milliseconds),
    }),
  },
  {
    fault: 'look and give in two steps',
    law: 'When several holders request',
    plant: (sound) => ({
      lease: async (endpoint, holder, milliseconds) => {
        const { lease } = await sound.read(endpoint)
        if (lease && lease.holder !== holder) return undefined
        await oneTurn()
        const { lease: later } = await sound.read(endpoint)
        if (later) await sound.release(endpoint, later.holder)
        return sound.lease(endpoint, holder, milliseconds)
      },
    }),
  },
  {
    fault: 'never end a lease',
    law: 'After a lease has expired',
    plant: (sound) => ({
      lease: (endpoint, holder) => sound.lease(endpoint, holder, 10_000_000),
    }),
  },
  {
    fault: 'let anybody release',
    law: 'After a lease has expired',
    plant: (sound) => ({
      release: async (endpoint) =>
        sound.release(endpoint, (await sound.read(endpoint)).lease?.holder ?? ''),
    }),
  },
  {
    fault: 'do not look at the lease of a write',
    law: 'A write with a holder',
    plant: (sound) => ({
      write: (endpoint, { holder: _, ...write }) => sound.write(endpoint, write),
    }),
  },
]

const lawOf = (fault: Fault) => webhookCursorLaws.find(({ name }) => name.startsWith(fault.law))

const homeOf = (plant: Fault['plant']) => {
  let cursors = memoryCursors()
  const handle = (): WebhookCursors => ({ ...cursors, ...plant(cursors) })
  return {
    open: () => {
      cursors = memoryCursors()
      return handle()
    },
    reopen: handle,
  }
}

describe('The laws of the cursors of webhooks', () => {
  test.each(webhookCursorLaws)('in memory: $name', ({ check }) => check(homeOf(() => ({}))))

  test.each(FAULTS)('find cursors that $fault', async (fault) => {
    await expect(lawOf(fault)?.check(homeOf(fault.plant))).rejects.toBeInstanceOf(BrokenLaw)
  })

  test('each find a fault', () => {
    const found = new Set(FAULTS.map((fault) => lawOf(fault)?.name))
    expect(webhookCursorLaws.filter(({ name }) => !found.has(name))).toEqual([])
  })
})
