import type { ObjectRef } from '../../domain/values.js'
import type { Plan } from './plan.js'
import type { Action, PlannedChange, PlannedField } from './planned-change.js'

const SIGNS: { readonly [Each in Action]: string } = {
  add: '+',
  update: '~',
  remove: '-',
  unchanged: '=',
}

/**
 * A plan, or what was applied, for people to read: a line for each object that changes, its fields
 * below it, then what is not declared, then how many there are of each. Equal plans read equal;
 * no secret shows.
 */
export const formatPlan = ({ changes, counts, undeclared }: Plan): string =>
  [
    ...changes.filter(({ action }) => action !== 'unchanged').flatMap(formatChange),
    ...undeclared.map((object) => `? ${nameOf(object)} is not declared`),
    `${counts.add} to add, ${counts.update} to update, ${counts.remove} to remove, ` +
      `${counts.unchanged} unchanged`,
  ].join('\n')

const formatChange = ({ action, object, fields }: PlannedChange): readonly string[] => [
  `${SIGNS[action]} ${nameOf(object)}`,
  ...fields.map((field) => `    ${formatField(field)}`),
]

const formatField = (planned: PlannedField): string => {
  const field = quoted(planned.field).slice(1, -1)
  if ('secret' in planned) return `${field}: (${planned.secret})`
  const { from, to } = planned
  return `${field}: ${[from, to]
    .filter((value) => value !== undefined)
    .map(quoted)
    .join(' -> ')}`
}

const nameOf = (object: ObjectRef): string => {
  switch (object.type) {
    case 'identity_provider':
      return `identity provider ${object.idpId}`
    case 'project':
      return `project ${object.id}`
    case 'project_role':
      return `role ${object.projectId} ${quoted(object.roleKey)}`
  }
}

/** Characters that would act on a terminal, or reorder what it shows, are written as escapes. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
