import { kinds } from '../../domain/kinds.js'
import type { Condition, Views, ViewType } from '../../ports/read-model.js'
import { foldCase } from './fold-case.js'
import { fieldNamed, type ViewFields } from './view-fields.js'

/** A test whether a row meets all of `conditions`. */
export const meetsAll = <Row extends Views[ViewType]>(
  type: ViewType,
  fields: ViewFields<Row>,
  conditions: readonly Condition[],
): ((row: Row) => boolean) => {
  const tests = conditions.map((condition) =>
    isOfRoleKeys(type, condition) ? meetsOne(type, condition) : meets(fields, condition),
  )
  return (row) => tests.every((test) => test(row))
}

/** Whether a condition is one on the keys of the roles that objects of a type assign. */
export const isOfRoleKeys = (type: ViewType, { field }: Pick<Condition, 'field'>): boolean => {
  const { fields } = kinds[type]
  return Object.hasOwn(fields, field) && fields[field]?.holds === 'roleKeys'
}

/** A test whether one of the shown roles of a row meets a condition. */
const meetsOne = (type: ViewType, condition: Condition): ((row: Views[ViewType]) => boolean) => {
  const test = meetsText(condition)
  const { assigns } = kinds[type]
  return (row) => assigns?.rolesOf(row).some(({ roleKey }) => test(roleKey)) ?? false
}

const meets = <Row>(fields: ViewFields<Row>, condition: Condition): ((row: Row) => boolean) => {
  const read = filterableText(fields, condition.field)
  const test = meetsText(condition)
  return (row) => test(read(row))
}

const meetsText = (condition: Condition): ((text: string) => boolean) => {
  // A lone surrogate must not be found as half of a character.
  if (!condition.value.isWellFormed()) return () => false
  const sought = condition.ignoreCase ? foldCase(condition.value) : condition.value
  const holds = operators[condition.operator]
  if (!condition.ignoreCase) return (text) => holds(text, sought)
  return (text) => holds(foldCase(text), sought)
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
