// Calls between a test and an object, as JSON in which positions are told apart from numbers.
import type { Append, Position } from '../../../../src/ports/event-store.js'

const POSITION = /^(\d+)n$/

export const toWire = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each))

export const fromWire = (text: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(text, (_, each) => {
    const position = typeof each === 'string' ? POSITION.exec(each)?.[1] : undefined
    return position === undefined ? each : BigInt(position)
  })

/** What an object is asked for. */
export type Call =
  | { readonly append: Append }
  | { readonly readAll: readonly [after: Position, limit: number] }
  /** A command of a writer; see test/processes. */
  | { readonly command: readonly [name: string, n: number] }
  /** Adds a role to the project `shared`. */
  | { readonly addRole: string }
  /** What tells this start of the object from others. */
  | { readonly start: true }
  /** Ends the object, which answers nothing more. */
  | { readonly abort: true }
