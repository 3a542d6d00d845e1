import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { ParseArgsOptionsConfig } from 'node:util'
import { type AnyError, IamFailure, toJson, toStatus } from 'claviger'
import type { Terminal } from './terminal.js'

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

/** A command of the command line. */
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
export const several = ({ values }: CommandCall, name: string): readonly string[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** Explains an error of the library to an operator. */
export const explain = (error: AnyError): string => {
  const { message } = toStatus(error)
  if (error.kind === 'InvalidArgument')
    return error.violations.map(({ field, description }) => `${field} ${description}`).join('; ')
  if (error.kind === 'Unavailable') return `${message}: ${reasonOf(error.cause)}`
  if (error.kind === 'Cancelled') return 'Interrupted'
  const { kind, ...values } = error
  const shown = Object.entries(toJson(values) as object)
    .filter(([name]) => name !== 'cause')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${message} (${[kind, ...shown].join(', ')})`
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

/** The text of a file. @throws Failed */
export const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    const { code } = Object(cause)
    throw new Failed(`The file ${file} cannot be read${code ? ` (${code})` : ''}`)
  })

/** Parses a JSON file. @throws Failed */
export const readJson = async (file: string): Promise<unknown> => {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed(`The file ${file} is not JSON`)
  }
}

/** The version of this package; the bundle is in its folder `dist`. */
export const versionOfPackage = (): string =>
  String(createRequire(import.meta.url)('../package.json').version)
