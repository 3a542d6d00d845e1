import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addComparison, addFigure, atMost, formatTime, type Report } from '../report.ts'
import { median, type Runner, type Scale, takeTurns } from '../rounds.ts'
import type { Took } from '../world-process.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SUBPATHS = ['', '/sqlite', '/postgres', '/transport', '/oidc', '/console'] as const
const BARE = 'bare Node.js'

/** What it costs to load the library, over a bare start of Node.js. */
export const start = async (report: Report, scale: Scale): Promise<void> => {
  const measured = await takeTurns(
    [starting(BARE, ''), ...SUBPATHS.map((path) => starting(`claviger${path}`, `claviger${path}`))],
    { rounds: 2 * scale.rounds },
  )
  addComparison(report, { table: 'start', job: 'start', by: 'cpu', measured })
  const [bare, ...paths] = measured
  for (const { name, rounds } of paths) {
    const added = (by: keyof Took) =>
      median(rounds.map((took, round) => took[by] - (bare?.rounds[round]?.[by] ?? Number.NaN)))
    addFigure(report, {
      section: 'imports',
      name: `\`import '${name}'\` over ${BARE}`,
      values: [added('cpu'), added('wall')],
      show: (cpu = 0, wall = 0) =>
        `${formatTime(cpu)} of the processor, ${formatTime(wall)} by the clock`,
    })
    if (name === 'claviger') {
      atMost(report, "`import 'claviger'`, milliseconds of the processor", 55, added('cpu') / 1e6)
    }
  }
}

const starting = (name: string, module: string): Runner => ({
  name,
  run: async () => {
    const code = `${module && `await import('${module}');`} console.log(JSON.stringify(process.cpuUsage()))`
    const begin = process.hrtime.bigint()
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const wall = Number(process.hrtime.bigint() - begin)
    const { user, system }: NodeJS.CpuUsage = JSON.parse(printed)
    return { cpu: (user + system) * 1_000, wall }
  },
})
