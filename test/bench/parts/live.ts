import { fork } from 'node:child_process'
import type { LiveAnswer, LiveRequest } from '../live-process.ts'
import {
  addFigure,
  atLeast,
  atMost,
  type Figure,
  formatNumber,
  formatTime,
  type Report,
} from '../report.ts'
import type { Scale } from '../rounds.ts'
import { answersOf } from '../worlds.ts'

const GRANTS = 1_000_000

/** What live checks hold in memory, and how long they take while roles are given. */
export const live = async (report: Report, { milliseconds, share }: Scale): Promise<void> => {
  const child = fork(new URL('../live-process.ts', import.meta.url), {
    execArgv: ['--expose-gc', '--max-old-space-size=8192'],
  })
  const answer = answersOf(child, 'live checks')
  const request: LiveRequest = { grants: GRANTS * share, seconds: milliseconds / 30 }
  child.send(request)
  const [received] = await answer()
  const { bytesPerGrant, catchUpMilliseconds, writesPerSecond, median, p99, p999, nestedMap } =
    received as LiveAnswer
  const add = (name: string, values: readonly number[], show: Figure['show']) =>
    addFigure(report, { section: 'live', name, values, show })
  const grants = `${GRANTS.toLocaleString('en-US')} grants`
  add(
    `live checks, memory for each of ${grants}`,
    [bytesPerGrant],
    (bytes = 0) => `${formatNumber(bytes)} bytes`,
  )
  add(
    `live checks, first catch-up with ${grants} on SQLite`,
    [catchUpMilliseconds * 1e6],
    (time = 0) => formatTime(time),
  )
  add(
    `\`live.can\` while ${formatNumber(writesPerSecond)} roles a second are given on SQLite`,
    [median, p99, p999],
    (...times) => {
      const [middle, ninetyNine, rare] = times.map(formatTime)
      return `median ${middle}, p99 ${ninetyNine}, p99.9 ${rare}`
    },
  )
  atLeast(report, `nested Map / live.can, ${grants}`, 1.3, nestedMap)
  atMost(report, 'live checks, bytes a grant', 50, bytesPerGrant)
  atMost(report, 'p99 of `live.can` while roles are given, µs', 10, p99 / 1e3)
}
