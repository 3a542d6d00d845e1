import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { fieldOf, isId, isRequiredText, MAX_TEXT_LENGTH } from '../domain/values.js'
import type { ImportWarningKind, Report } from './imported.js'
import { parseJson } from './json.js'

/** A value of a document, and its path. */
export interface Found {
  readonly value: unknown
  /** Empty for the document itself. */
  readonly path: string
  /** Takes the warnings about it. */
  readonly report: Report
}

/** A text of a document. */
export interface FoundText extends Found {
  readonly value: string
}

/** Warns about a value, in the words of the kind or in its own. */
export const warn = ({ report, path }: Found, kind: ImportWarningKind, message?: string): void =>
  report(kind, path, message)

/** The documents of an import: one, or a list of them. Each is JSON text, its bytes, or its parsed value. */
export function* documentsIn(source: Found, depth = 3): Generator<Found> {
  const { value } = source
  if (depth > 0 && (typeof value === 'string' || value instanceof Uint8Array))
    yield* documentsIn({ ...source, value: parsedOrFault(value) }, depth - 1)
  else if (depth > 0 && Array.isArray(value) && value.length > 0)
    for (const item of itemsIn(source)) yield* documentsIn(item, depth - 1)
  else yield source
}

const parsedOrFault = (source: string | Uint8Array): unknown => {
  try {
    return parseJson(source)
  } catch (fault) {
    return fault
  }
}

/** Warns that a document has not the expected form, and where it stops being JSON. */
export const warnMalformed = (document: Found): void => {
  const { value } = document
  warn(document, 'Malformed', value instanceof SyntaxError ? value.message : undefined)
}

/** The value of JSON text. Other values, and other text, stay as they are. */
export const parsed = (json: unknown): unknown => {
  if (typeof json !== 'string') return json
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** A field, whose name may also be spelled `in_snake_case`; null means absent. */
export const fieldIn = ({ value, path, report }: Found, name: string): Found => {
  const field = spellingIn(value, name)
  return {
    value: fieldOf(value, field) ?? undefined,
    path: path === '' ? field : `${path}.${field}`,
    report,
  }
}

/** The name of a field as an object spells it. */
const spellingIn = (value: unknown, name: string): string => {
  if (!isRecord(value) || Object.hasOwn(value, name)) return name
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.hasOwn(value, snake) ? snake : name
}

/** The text of a field; undefined when it is absent, empty or not text. */
export const textIn = ({ value }: Found, name: string): string | undefined => {
  const text = fieldOf(value, spellingIn(value, name))
  return typeof text === 'string' && text !== '' ? text : undefined
}

export const isTrueIn = ({ value }: Found, name: string): boolean =>
  fieldOf(value, spellingIn(value, name)) === true

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The items of a list that may be absent. */
export function* itemsIn(list: Found): Generator<Found> {
  const { value, path, report } = list
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield { value: item, path: `${path}[${index}]`, report }
  else if (value !== undefined) warn(list, 'Malformed')
}

/** The records of a list that may be absent. */
export function* recordsIn(list: Found): Generator<Found> {
  for (const item of itemsIn(list))
    if (isRecord(item.value)) yield item
    else warn(item, 'Malformed')
}

/** The entries of a record that may be absent. */
export function* entriesIn(record: Found): Generator<readonly [key: string, found: Found]> {
  const { value, path, report } = record
  if (isRecord(value))
    for (const key of Object.keys(value))
      yield [key, { value: value[key], path: `${path}[${JSON.stringify(key)}]`, report }]
  else if (value !== undefined) warn(record, 'Malformed')
}

/** The texts of a list that may be absent. */
export function* textsIn(list: Found): Generator<FoundText> {
  for (const item of itemsIn(list))
    if (typeof item.value === 'string') yield { ...item, value: item.value }
    else warn(item, 'Malformed')
}

/**
 * Derives an id from a name that is not a valid id, always the same for the same name: its first 51 characters, with
 * `-` instead of invalid ones, then `-` and 12 hexadecimal digits of its SHA-256.
 */
export const derivedId = (name: string): string => {
  const readable = name.slice(0, 51).replaceAll(/[^A-Za-z0-9._:@~-]/g, '-')
  const digits = bytesToHex(sha256(utf8ToBytes(name))).slice(0, 12)
  return `${readable.replace(/^[^A-Za-z0-9]+/, '') || 'x'}-${digits}`
}

/** The id for the name at `at`: the name itself if it is a valid id, otherwise one derived from it. */
export const idFor = (name: string, at: Found): string => {
  if (isId(name)) return name
  warn(at, 'IdChanged')
  return derivedId(name)
}

/** Like {@link idFor}, without a warning: for references. */
export const referredId = (name: string): string => (isId(name) ? name : derivedId(name))

/** Truncates text to 200 characters and removes characters that stores cannot keep. */
const keepable = (text: string): string =>
  [
    ...text
      .slice(0, 2 * MAX_TEXT_LENGTH + 1)
      .toWellFormed()
      .replaceAll('\0', ''),
  ]
    .slice(0, MAX_TEXT_LENGTH)
    .join('')

/** A name; `otherwise` when it is missing. */
export const nameIn = (found: Found, otherwise: string): string => {
  const { value } = found
  if (isRequiredText(value)) return value
  warn(found, 'NameChanged')
  return (typeof value === 'string' && keepable(value)) || keepable(otherwise) || 'unnamed'
}

/** Text that may be empty or absent. */
export const optionalTextIn = (found: Found): string => {
  const { value } = found
  if (value === undefined || value === '' || isRequiredText(value)) return value ?? ''
  warn(found, 'NameChanged')
  return typeof value === 'string' ? keepable(value) : ''
}
