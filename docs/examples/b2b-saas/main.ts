// node main.ts: starts an instance as the environment says.
import { settingsFrom } from './settings.ts'
import { startInstance } from './start.ts'

const { port, stop } = await startInstance(settingsFrom(process.env))
console.log(`Ready on ${port}`)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
