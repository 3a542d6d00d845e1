#!/usr/bin/env node
// The command line: `claviger COMMAND [options]`.
import { parseArgs } from 'node:util'
import { COMMANDS, OVERVIEW } from './commands.js'
import { type Command, type ExitCode, UsageError } from './running/command.js'
import { reasonOf } from './running/explain.js'
import { masking } from './running/mask.js'
import { openTerminal } from './running/terminal.js'

const given = process.argv.slice(2)
const addresses = [...given.map((each) => each.replace(/^--\w+=/, '')), process.env['CLAVIGER_DB']]
const mask = masking(addresses.filter((each) => each !== undefined))
const terminal = openTerminal(process.stdout, process.stderr, mask)

// A reader such as `head` may have enough.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit(0)
  process.stderr.write(`claviger: The output cannot be written (${cause.code})\n`)
  process.exit(1)
})

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
process.once('SIGTERM', () => interrupted.abort())

const parsed = (command: Command, parameters: readonly string[]) => {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } as const }
    return parseArgs({ args: [...parameters], options, allowPositionals: true })
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? (thrown.message.split('. ')[0] ?? '') : '')
  }
}

const main = async ([name = '--help', ...parameters]: readonly string[]): Promise<ExitCode> => {
  if (['--help', '-h', 'help'].includes(name)) {
    await terminal.print(OVERVIEW)
    return 0
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!listed) throw new UsageError(`There is no command ${name}`)
  const command = await listed.load()
  const { values, positionals } = parsed(command, parameters)
  if (values['help']) {
    await terminal.print(command.help)
    return 0
  }
  const [least, most] = command.positionals
  if (positionals.length < least) throw new UsageError('An argument is missing')
  if (positionals.length > most) throw new UsageError(`There is no argument ${positionals[most]}`)
  return command.run({ values, positionals, terminal, signal: interrupted.signal })
}

const exitCodeOf = (thrown: unknown): ExitCode => {
  if (interrupted.signal.aborted) terminal.note('claviger: Interrupted')
  else terminal.note(`claviger: ${reasonOf(thrown)}`)
  if (!(thrown instanceof UsageError)) return 1
  terminal.note(`See claviger ${COMMANDS[given[0] ?? ''] ? `${given[0]} ` : ''}--help`)
  return 64
}

process.exitCode = await main(given).catch(exitCodeOf)
