import type { ParseArgsOptionsConfig } from 'node:util'
import type { Terminal } from '../output/terminal.js'

/** 0 done, 1 failed, 2 changes pending or faults found, 64 usage. */
export type ExitCode = 0 | 1 | 2 | 64

/** What a command was called with. */
export interface CommandCall {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
}

/** A command of the command line. */
export interface Command {
  /** What `--help` prints: at most 24 lines of 80 characters. */
  readonly help: string
  readonly options: ParseArgsOptionsConfig
  /** Fewest and most arguments without a name. */
  readonly positionals: readonly [least: number, most: number]
  readonly run: (call: CommandCall) => Promise<ExitCode>
}

/** A wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something that failed for a reason that the message says in full. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** An option with one value, which must be there. @throws UsageError */
export const required = ({ values }: CommandCall, name: string): string => {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

/** An option with one value. */
export const optional = ({ values }: CommandCall, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** An option that may be given several times. */
export const several = ({ values }: CommandCall, name: string): readonly string[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** Options of every command that opens a database. */
export const DATABASE = {
  db: { type: 'string' },
  schema: { type: 'string' },
  json: { type: 'boolean' },
} as const
