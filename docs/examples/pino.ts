// Lines of pino. Run it with `node docs/examples/pino.ts`.
import { aesGcmCipher, createIam, type Hooks, memoryEventStore } from 'claviger'
import { pino } from 'pino'

const lines: string[] = []
const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) }) // or just pino()

const hooks: Hooks = {
  onCall: (call) => log.info(call, 'iam call'),
  onAppend: ({ position, ...append }) =>
    log.debug({ ...append, position: String(position) }, 'iam append'),
  onRetry: (retry) => log.warn(retry, 'iam retry'),
  onFault: ({ position, ...fault }) =>
    log.error({ ...fault, position: position?.toString() }, 'iam fault'),
}

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true, hooks })
await iam.projects.add({ name: 'Portal' }, { caller: { userId: 'u1', orgId: 'acme' } })

if (lines.length !== 2) throw new Error(`Logged ${lines.length} lines`)
console.log(lines.join(''))
