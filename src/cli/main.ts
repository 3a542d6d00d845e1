#!/usr/bin/env node
// The command line: `claviger COMMAND [options]`.
import { parseArgs } from 'node:util'
import { type Command, type ExitCode, reasonOf, UsageError, versionOfPackage } from './command.js'
import { COMMANDS, OVERVIEW } from './commands.js'
import { masking, openTerminal } from './terminal.js'

/** Time after Ctrl-C until a note says why it waits, in milliseconds. */
const WAIT_MS = 1_000

const args = process.argv.slice(2)
const addresses = args.map((each) => each.replace(/^--[\w-]+=/, ''))
const ended = new AbortController()
let isReaderGone = false

const terminal = openTerminal({
  out: process.stdout,
  notes: process.stderr,
  mask: masking([...addresses, process.env['CLAVIGER_DB'] ?? '']),
  onReaderGone: () => {
    isReaderGone = true
    ended.abort()
  },
})

/** Ends cleanly, after the current append. A second signal ends the process at once. */
const end = (): void => {
  ended.abort()
  const notify = () =>
    terminal.note('claviger: Waiting for the database. Ctrl-C again ends at once')
  setTimeout(notify, WAIT_MS).unref()
}
process.once('SIGINT', end)
process.once('SIGTERM', end)

const parsed = (command: Command, parameters: readonly string[]) => {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } as const }
    return parseArgs({ args: [...parameters], options, allowPositionals: true })
  } catch (thrown) {
    throw new UsageError(reasonOf(thrown).split('. ')[0])
  }
}

const run = async (name: string, parameters: readonly string[]): Promise<ExitCode> => {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) throw new UsageError(`Unknown command ${name}`)
  const command = await load()
  const { values, positionals } = parsed(command, parameters)
  if (values['help']) return show(command.help)
  const [least, most] = command.positionals
  if (positionals.length < least) throw new UsageError('An argument is missing')
  if (positionals.length > most) throw new UsageError(`Unexpected argument ${positionals[most]}`)
  return command.run({ values, positionals, terminal, signal: ended.signal })
}

const show = async (text: string): Promise<ExitCode> => {
  await terminal.print(...text.split('\n'))
  return 0
}

const main = async ([name, ...parameters]: readonly string[]): Promise<ExitCode> => {
  if (name === undefined) throw new UsageError('A command is missing')
  if (['--version', '-v'].includes(name)) return show(versionOfPackage())
  if (['--help', '-h', 'help'].includes(name)) {
    const [command] = parameters
    return command === undefined ? show(OVERVIEW) : run(command, ['--help'])
  }
  return run(name, parameters)
}

const exitCodeOf = (thrown: unknown): ExitCode => {
  if (isReaderGone) return 0
  terminal.note(`claviger: ${ended.signal.aborted ? 'Interrupted' : reasonOf(thrown)}`)
  if (!(thrown instanceof UsageError)) return 1
  const [name = ''] = args
  terminal.note(`See claviger ${Object.hasOwn(COMMANDS, name) ? `${name} ` : ''}--help`)
  return 64
}

// Not left to the end of the event loop: a connection that was being opened may take long to give up.
process.exit(await main(args).catch(exitCodeOf))
