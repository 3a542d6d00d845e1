import type { Violation } from '../../index.js'

/** Fields of a binary request, at any depth, that no message of ours has. */
export function* unknownFields(message: object, path = ''): Generator<Violation, void> {
  for (const [name, value] of Object.entries(message)) {
    if (typeof value !== 'object' || value === null) continue
    if (name === '$unknown') yield* unknownNumbers(value, path.slice(0, -1))
    else if (Array.isArray(value)) yield* unknownInItems(value, `${path}${name}`)
    else if (!(value instanceof Uint8Array)) yield* unknownFields(value, `${path}${name}.`)
  }
}

function* unknownInItems(items: readonly unknown[], path: string): Generator<Violation, void> {
  for (const [index, item] of items.entries())
    if (hasUnknown(item)) yield* unknownFields(item, `${path}[${index}].`)
}

/** Asked of each item, of which there may be half a million: to go through all with a path takes longer. */
const hasUnknown = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  ('$unknown' in value || Object.values(value).some(hasUnknown))

function* unknownNumbers(unknown: object, field: string): Generator<Violation, void> {
  if (!Array.isArray(unknown)) return
  for (const { no } of unknown) yield { field, description: `must not have a field numbered ${no}` }
}
