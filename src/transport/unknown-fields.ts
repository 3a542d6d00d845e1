import type { Violation } from '../index.js'

/** Fields of a binary request, at any depth, that no message of ours has. */
export const unknownFields = (message: object, path = ''): readonly Violation[] =>
  Object.entries(message).flatMap(([name, value]): readonly Violation[] => {
    if (name === '$unknown') return fieldNumbers(value).map((number) => unknownField(path, number))
    if (Array.isArray(value))
      return value.flatMap((item, index) => nested(item, `${path}${name}[${index}]`))
    return nested(value, `${path}${name}`)
  })

const nested = (value: unknown, path: string): readonly Violation[] =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? unknownFields(value, `${path}.`)
    : []

const fieldNumbers = (unknown: unknown): readonly unknown[] =>
  Array.isArray(unknown) ? unknown.map(({ no }) => no) : []

const unknownField = (path: string, number: unknown): Violation => ({
  field: path.slice(0, -1),
  description: `must not have a field numbered ${number}`,
})
