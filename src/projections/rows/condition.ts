import type { Condition } from '../../ports/read-model.js'
import { foldCase } from './fold-case.js'
import { fieldNamed, type ViewFields } from './view-fields.js'

/** A test whether a row meets all of `conditions`. */
export const meetsAll = <Row>(
  fields: ViewFields<Row>,
  conditions: readonly Condition[],
): ((row: Row) => boolean) => {
  const tests = conditions.map((condition) => meets(fields, condition))
  return (row) => tests.every((test) => test(row))
}

const meets = <Row>(fields: ViewFields<Row>, condition: Condition): ((row: Row) => boolean) => {
  const read = filterableText(fields, condition.field)
  // A lone surrogate must not be found as half of a character.
  if (!condition.value.isWellFormed()) return () => false
  const sought = condition.ignoreCase ? foldCase(condition.value) : condition.value
  const holds = operators[condition.operator]
  if (!condition.ignoreCase) return (row) => holds(read(row), sought)
  return (row) => holds(foldCase(read(row)), sought)
}

const operators: Readonly<
  Record<Condition['operator'], (text: string, sought: string) => boolean>
> = {
  equals: (text, sought) => text === sought,
  startsWith: (text, sought) => text.startsWith(sought),
  contains: (text, sought) => text.includes(sought),
}

/** Reads the text of that field. @throws RangeError when rows cannot be filtered by it */
export const filterableText = <Row>(
  fields: ViewFields<Row>,
  name: string,
): ((row: Row) => string) => {
  const field = fieldNamed(fields, name)
  if (!field.filterable) {
    throw new RangeError(`Rows cannot be filtered by ${name}`)
  }
  return field.of
}
