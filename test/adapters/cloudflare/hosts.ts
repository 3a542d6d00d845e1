import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { err, ok } from 'neverthrow'
import type { EventStore } from '../../../src/index.js'
import { type Call, fromWire, toWire } from './worker/wire.js'
import { bundle, startWorkerd } from './workerd.js'

/** Objects in a process of workerd that can be killed. */
export interface Hosts {
  /** Asks the object of that name; rejects when it gives no answer. */
  readonly ask: (name: string, call: Call) => ReturnType<typeof fromWire>
  /** Asks it all at the same time. */
  readonly askAll: (name: string, calls: readonly Call[]) => ReturnType<typeof fromWire>
  /** Kills workerd as the system does, with whatever it is doing, and starts it on the same storage. */
  readonly restart: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** The processes of workerd that this process has started. */
const processesOfWorkerd = (): readonly number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, command]) => Number(parent) === process.pid && /workerd/.test(`${command}`))
    .map(([pid]) => Number(pid))

/** Starts workerd with objects whose storage is in a folder. */
export const startHosts = async (): Promise<Hosts> => {
  const script = await bundle('test/adapters/cloudflare/worker/host.ts')
  const folder = mkdtempSync(join(tmpdir(), 'claviger-objects-'))
  const start = async () => {
    const before = processesOfWorkerd()
    const durableObjects = { OBJECTS: { className: 'Host', useSQLite: true } }
    const workerd: Miniflare = startWorkerd(script, {
      durableObjects,
      durableObjectsPersist: folder,
    })
    await workerd.ready
    return { workerd, pids: processesOfWorkerd().filter((pid) => !before.includes(pid)) }
  }
  let running = await start()
  const askAll: Hosts['askAll'] = async (name, calls) => {
    const sent = { method: 'POST', body: toWire(calls) }
    const response = await running.workerd.dispatchFetch(`http://localhost/${name}`, sent)
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return fromWire(text)
  }
  return {
    ask: async (name, call) => (await askAll(name, [call]))[0],
    askAll,
    restart: async () => {
      const { workerd, pids } = running
      if (pids.length === 0) throw new Error('workerd does not run')
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      await workerd.dispose()
      running = await start()
    },
    [Symbol.asyncDispose]: async () => {
      await running.workerd.dispose()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The store of an object. */
export const storeOf = ({ ask }: Hosts, name: string): EventStore => {
  const readAll: EventStore['readAll'] = (after, limit) => ask(name, { readAll: [after, limit] })
  return {
    append: async (append) => {
      const verdict = await ask(name, { append })
      return 'ok' in verdict ? ok(verdict.ok) : err(verdict.err)
    },
    readAll,
    lastPosition: async () => (await readAll(0n, 1e6)).at(-1)?.position ?? 0n,
    readStream: async () => [],
    findAppend: async () => [],
  }
}
