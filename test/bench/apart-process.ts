import type { Apart } from './apart.ts'
import { runnerOf } from './rounds.ts'
import { EMBEDDED } from './systems/embedded.ts'

// Runs one contestant, a round whenever it is told to, until its parent lets it go.
const { name, system, task, calls, inFlight, isKept }: Apart = JSON.parse(process.argv[2] ?? '')
const open = () => EMBEDDED[system].open(task)
const runner = runnerOf({ name, open, calls, inFlight }, isKept)

process.on('message', async () => {
  process.send?.(await runner.run())
})
process.once('disconnect', runner.end)
process.send?.('ready')
