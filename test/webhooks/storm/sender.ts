// A process that sends: node sender.ts TASK. Tells its memory each second, as a number of bytes.
import { readFileSync } from 'node:fs'
import { webhooks } from 'claviger/webhooks'
import { endpointsAt } from './endpoints.ts'
import { caller, openPlace, type Place } from './place.ts'

/** What a sender does. */
export interface SenderTask {
  readonly place: Place
  readonly port: number
  /** A file with the secrets that are in use now, as JSON. */
  readonly secretsFile: string
  readonly lease: number
}

const { place, port, secretsFile, lease }: SenderTask = JSON.parse(process.argv[2] ?? '')
const { iam, cursors, close } = await openPlace(place)
const ending = new AbortController()
process.once('SIGTERM', () => ending.abort())
process.once('disconnect', () => ending.abort())
const telling = setInterval(() => {
  globalThis.gc?.()
  if (process.connected) process.send?.(process.memoryUsage().heapUsed)
}, 1_000)
const ran = await webhooks({
  iam,
  cursors,
  caller,
  lease,
  lookup: false,
  allowHttpLoopback: true,
  endpoints: () => endpointsAt(port, JSON.parse(readFileSync(secretsFile, 'utf8'))),
}).run({ signal: ending.signal })
clearInterval(telling)
if (ran.isErr()) throw new Error(ran.error.kind)
await close()
if (process.connected) process.disconnect()
