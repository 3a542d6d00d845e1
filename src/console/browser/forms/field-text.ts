import type { FormField } from '../kinds.js'
import type { Json, JsonValue } from '../state/api.js'

/** The text that a form begins with; a secret begins empty. */
export const textOf = (field: FormField, value: JsonValue | undefined): string => {
  if (Array.isArray(field.as) && !value) return field.as[0] ?? ''
  if (field.as === 'secret' || value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(lineOf).join('\n') : String(value)
}

const lineOf = (item: JsonValue): string => {
  if (typeof item !== 'object' || item === null) return String(item)
  const { roleKey, expiresAt } = item as Json
  return [roleKey, expiresAt].filter(Boolean).join(' ')
}

/** Spaces are part of a key. */
const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '')

/** What the text of a field stands for in a request. */
export const jsonOf = (field: FormField, text: string): JsonValue => {
  if (field.as === 'flag') return text === 'true'
  if (field.as === 'lines') return linesOf(text)
  return field.as === 'roles' ? linesOf(text).map(roleOf) : text
}

const EXPIRY = /^(.*) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/

/** A role key, and behind a space its expiry, of which the seconds may be left out. */
const roleOf = (line: string): Json => {
  const [, roleKey, expiresAt] = EXPIRY.exec(line) ?? []
  if (roleKey === undefined || expiresAt === undefined) return { roleKey: line }
  const hasSeconds = expiresAt.length > '2027-01-31T00:00Z'.length
  return { roleKey, expiresAt: hasSeconds ? expiresAt : expiresAt.replace('Z', ':00Z') }
}
