import { parseArgs } from 'node:util'
import { postgresSystem, startServer } from './postgres.js'
import { shrink, simulate } from './simulate.js'
import { inMemory } from './system.js'

const print = (text: string | undefined) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    trace: { type: 'boolean' },
    'no-shrink': { type: 'boolean' },
    postgres: { type: 'boolean' },
    server: { type: 'string' },
  },
})
const run = async (): Promise<void> => {
  await using server = values.postgres && !values.server ? await startServer() : undefined
  const address = values.server ?? server?.connectionString
  await using postgres = address === undefined ? undefined : await postgresSystem(address)
  const system = postgres ?? inMemory
  const from = Number(values.seed ?? 1)
  const end = Date.now() + Number(values.minutes ?? 0) * 60_000
  const count = Number(values.seeds ?? 1)
  let operations = 0
  let runs = 0
  const begin = Date.now()
  for (let seed = from; runs < count || Date.now() < end; seed++) {
    const simulated = await simulate(seed, { system })
    runs++
    operations += simulated.operations
    if (values.trace) print(simulated.trace.join('\n'))
    if (!simulated.violation) continue
    const smallest = values['no-shrink']
      ? simulated
      : await shrink(simulated, {
          only: new RegExp(simulated.violation.message.replace(/^op\d+/, '').slice(0, 22)),
          system,
        })
    print(`Seed ${seed} fails: ${simulated.violation.message}\n`)
    print(smallest.trace.join('\n'))
    print(smallest.violation?.stack)
    process.exitCode = 1
    break
  }
  const seconds = (Date.now() - begin) / 1000
  print(`${runs} seeds, ${operations} operations, ${seconds.toFixed(1)} s`)
}

await run()
// Simulated requests leave timers behind, which would keep the process alive for seconds.
process.exit()
