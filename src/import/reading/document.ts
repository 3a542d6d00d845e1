import { fieldOf } from '../../domain/values.js'
import type { Warn } from '../warning.js'

/** A value of a document, and where it is. */
export interface Found {
  readonly value: unknown
  /** Empty for the document itself. */
  readonly path: string
}

/** A document: text of JSON, or what was parsed of it. Text that is none is found as it is, which is no record. */
export const documentOf = (json: unknown): Found => {
  if (typeof json !== 'string') return { value: json, path: '' }
  try {
    return { value: JSON.parse(json), path: '' }
  } catch {
    return { value: json, path: '' }
  }
}

/** A field; null counts as absent. */
export const fieldIn = ({ value, path }: Found, name: string): Found => ({
  value: fieldOf(value, name) ?? undefined,
  path: path === '' ? name : `${path}.${name}`,
})

/** The text of a field; undefined when it is absent, empty or no text. */
export const textIn = ({ value }: Found, name: string): string | undefined => {
  const text = fieldOf(value, name)
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Whether a field is true. */
export const isTrueIn = ({ value }: Found, name: string): boolean => fieldOf(value, name) === true

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The items of a list that may be absent. */
export function* itemsIn({ value, path }: Found, warn: Warn): Generator<Found> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield { value: item, path: `${path}[${index}]` }
  else if (value !== undefined) warn('Malformed', path)
}

/** The items of a list that may be absent, which must be records. */
export function* recordsIn(list: Found, warn: Warn): Generator<Found> {
  for (const item of itemsIn(list, warn))
    if (isRecord(item.value)) yield item
    else warn('Malformed', item.path)
}

/** The entries of a record that may be absent. */
export function* entriesIn(
  { value, path }: Found,
  warn: Warn,
): Generator<readonly [key: string, found: Found]> {
  if (isRecord(value))
    for (const key of Object.keys(value))
      yield [key, { value: value[key], path: `${path}[${JSON.stringify(key)}]` }]
  else if (value !== undefined) warn('Malformed', path)
}

/** The texts of a list that may be absent. */
export function* textsIn(list: Found, warn: Warn): Generator<Found & { readonly value: string }> {
  for (const { value, path } of itemsIn(list, warn))
    if (typeof value === 'string') yield { value, path }
    else warn('Malformed', path)
}
