import { aggregates, idsOf } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import { countsOf, type Plan } from './plan.js'
import { type Action, actionOf, type PlannedChange } from './planned-change.js'
import type { PlannedField } from './planned-field.js'
import { shownFields } from './recorded-fields.js'

const SIGNS: { readonly [Each in Action]: string } = {
  add: '+',
  update: '~',
  remove: '-',
  unchanged: '=',
  blocked: '!',
  superseded: '^',
}

/**
 * The text of a plan, or of an applied one, for people to read: a line for each object except the unchanged
 * ones, with its fields below it; then the objects that are not declared, then the counts. Equal plans have equal
 * text. Secrets are never shown. New values and counts are those of the events, even in a plan from somebody
 * else; old values are those that the plan names.
 */
export const formatPlan = ({ changes, undeclared }: Plan): string => {
  const shown = changes.map(asRecorded)
  return [
    ...shown.filter(({ action }) => action !== 'unchanged').flatMap(formatChange),
    ...undeclared.map((object) => `? ${nameOf(object)} is not declared`),
    formatCounts(shown),
  ].join('\n')
}

const asRecorded = (change: PlannedChange): PlannedChange => {
  const [event] = change.events
  return event ? { ...change, action: actionOf(event) } : change
}

const formatCounts = (changes: readonly PlannedChange[]): string => {
  const { add, update, remove, unchanged, blocked = 0, superseded = 0 } = countsOf(changes)
  return [
    `${add} to add, ${update} to update, ${remove} to remove, ${unchanged} unchanged`,
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(superseded > 0 ? [`${superseded} superseded`] : []),
  ].join(', ')
}

const formatChange = (change: PlannedChange): readonly string[] => {
  const { action, object } = change
  const line = `${SIGNS[action]} ${nameOf(object)}`
  if (action === 'superseded') return [`${line} is superseded by a newer version`]
  if (action !== 'blocked') return [line, ...shownFields(change).flatMap(formatField)]
  const { container } = aggregates[object.type]
  const why = container
    ? `its ${aggregates[container.type].label} was removed`
    : 'its id is that of a removed one'
  return [`${line} is blocked: ${why}`]
}

const formatField = (shown: PlannedField): readonly string[] => {
  if ('secret' in shown) return [`    ${shown.field}: (${shown.secret})`]
  const values = [shown.from, shown.to].filter((value) => value !== undefined).map(quoted)
  return values.length > 0 ? [`    ${shown.field}: ${values.join(' -> ')}`] : []
}

/** The type and ids. Only the key of an object in a container is quoted, since it may be any text. */
const nameOf = (object: ObjectRef): string => {
  const { label, container } = aggregates[object.type]
  const ids = idsOf(object)
  const names = ids.map((id, index) =>
    container && index === ids.length - 1 ? quoted(id) : quoted(id).slice(1, -1),
  )
  return [label, ...names].join(' ')
}

/** Escapes characters that would control a terminal or reorder its text. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
