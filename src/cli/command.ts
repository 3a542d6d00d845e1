import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { ParseArgsOptionsConfig } from 'node:util'
import { type AnyError, IamFailure, toJson, toStatus } from 'claviger'
import type { Line, Terminal } from './terminal.js'

/** 0 done, 1 failed, 2 changes pending or faults found, 64 usage. */
export type ExitCode = 0 | 1 | 2 | 64

/** The parsed command line of a command. */
export interface CommandCall {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
}

export interface Command {
  /** What `--help` prints: at most 24 lines of 80 characters. */
  readonly help: string
  readonly options: ParseArgsOptionsConfig
  /** Least and most positional arguments. */
  readonly positionals: readonly [least: number, most: number]
  readonly run: (call: CommandCall) => Promise<ExitCode>
}

/** A wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A failure. The message says all that the operator needs to know. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** The value of a required option. @throws UsageError */
export const required = ({ values }: CommandCall, name: string): string => {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

/** The value of an option. */
export const optional = ({ values }: CommandCall, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be repeated. */
export const repeated = ({ values }: CommandCall, name: string): readonly string[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** RFC 3339, or a day, which begins in UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d))?$/

/** The time of an option. @throws UsageError */
export const timeOption = (call: CommandCall, name: string): Date | undefined => {
  const text = optional(call, name)
  if (text === undefined) return undefined
  const [written = '', day = '', time = 'T00:00:00'] = TIME.exec(text.toUpperCase()) ?? []
  const [parsed, onCalendar] = [Date.parse(written), Date.parse(`${day}${time}Z`)]
  // JavaScript reads the 30th of February as a day in March.
  const isReal = !Number.isNaN(parsed + onCalendar)
  if (!isReal || !new Date(onCalendar).toISOString().startsWith(day + time))
    throw new UsageError(`--${name} must be a time of RFC 3339, such as 2026-03-31T23:59:59Z`)
  return new Date(parsed)
}

/** Prints a result: with `--json` as a line of JSON, otherwise as lines for people. */
export const print = (
  { values, terminal }: CommandCall,
  json: unknown,
  ...lines: readonly Line[]
): Promise<void> => (values['json'] ? terminal.printJson(json) : terminal.print(...lines))

/** Explains an error of the library to an operator. */
export const explain = (error: AnyError): string => {
  const { message } = toStatus(error)
  if (error.kind === 'InvalidArgument')
    return error.violations
      .map(({ field, description }) => `${field || 'The input'} ${description}`)
      .join('; ')
  if (error.kind === 'Unavailable') return `${message}: ${reasonOf(error.cause)}`
  if (error.kind === 'Cancelled') return 'Interrupted'
  const { kind, ...values } = error
  const entries = Object.entries(toJson(values) as object)
    .filter(([name]) => name !== 'cause')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${message} (${[kind, ...entries].join(', ')})`
}

/** The message of an exception and of its cause. */
export const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof IamFailure) return explain(thrown.error)
  if (!(thrown instanceof Error)) return String(thrown)
  const nested = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause
  const message = thrown.message || thrown.name
  if (nested === undefined || thrown instanceof Failed) return message
  const reason = reasonOf(nested)
  return message.includes(reason) ? message : `${message}: ${reason}`
}

/** The bytes of a file. @throws Failed */
export const readBytes = (file: string): Promise<Uint8Array> =>
  readFile(file).catch((cause: unknown) => {
    const { code } = Object(cause)
    throw new Failed(`The file ${file} cannot be read${code ? ` (${code})` : ''}`)
  })

/** The text of a file. @throws Failed */
export const readText = async (file: string): Promise<string> =>
  new TextDecoder().decode(await readBytes(file))

/** Parses a JSON file. @throws Failed */
export const readJson = async (file: string): Promise<unknown> => {
  const bytes = await readBytes(file)
  const { parseJson } = await import('claviger/import')
  try {
    return parseJson(bytes)
  } catch (fault) {
    throw new Failed(reasonOf(fault).replace(/^It/, `The file ${file}`))
  }
}

/** The version of this package; the bundle is in its folder `dist`. */
export const versionOfPackage = (): string =>
  String(createRequire(import.meta.url)('../package.json').version)
