// `node test/webhooks/storm/main.ts`, after `npm run build`: 100,000 changes, ten endpoints of which three are dead, receivers that fail in many ways,
// secrets that are rotated, senders that are killed 20 times. `-- --changes 2000 --kills 3` for a short one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { storm } from './storm.ts'

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '20' },
    rate: { type: 'string', default: '500' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'claviger-storm-'))
const report = await storm({
  place: { file: join(folder, 'iam.db') },
  secretsFile: join(folder, 'secrets.json'),
  changes: Number(values.changes),
  organizations: 100,
  senders: 3,
  kills: Number(values.kills),
  killEvery: 8_000,
  changesPerSecond: Number(values.rate),
  tell: (text) => console.log(text),
})
rmSync(folder, { recursive: true, force: true })

const megabytes = (bytes: number | undefined): string => ((bytes ?? 0) / 2 ** 20).toFixed(1)
/** Of the senders that lived long enough to have a beginning and an end. */
const lasting = report.heaps.filter((heap) => heap.length >= 10)
const heapText = lasting.map((heap) => `${megabytes(heap[4])} then ${megabytes(heap.at(-1))}`)
const most = Math.max(...report.heaps.flat())
const share = ((report.doubled / report.messages) * 100).toFixed(2)
console.log(
  `${report.changes} changes, ${report.messages} messages due, ${report.requests} received in ` +
    `${report.seconds.toFixed(0)} s; ${report.doubled} doubled (${share} %); ${report.rotations} rotations`,
)
console.log(`Heap of senders in MB: at most ${megabytes(most)}; ${heapText.join(', ')}`)
for (const problem of report.problems) console.error(`FAILED: ${problem}`)
console.log(report.problems.length === 0 ? 'All is well' : `${report.problems.length} problems`)
process.exitCode = report.problems.length === 0 ? 0 : 1
