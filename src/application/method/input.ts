import { err, ok, type Result } from 'neverthrow'
import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { aggregateNamed, EVENT_TYPES } from '../../domain/aggregates.js'
import { isDomainName } from '../../domain/email-domain/domain-name.js'
import { compiled } from '../../domain/message.js'
import {
  fieldOf,
  isId,
  isRequiredText,
  listOf,
  MAX_GRANTED_ROLES,
  MAX_REPORTED,
  onlyOnce,
  type Permission,
  type PermissionTarget,
  RoleKey,
} from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Authorize } from '../../ports/host.js'
import { type InvalidArgument, invalid, type Violation } from '../errors/errors.js'

/** The output of `schema` for `value`, or the violations. @throws any exception of a getter of `value` */
export const parse = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, InvalidArgument> => {
  const parsed = compiled(schema).safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err(refusalOf(parsed.error))
}

/**
 * {@link parse} for the input of a method; an input with a getter that throws is malformed. The error is a function,
 * because describing every violation takes far longer than finding it.
 */
export const readInput = <Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, () => InvalidArgument> => {
  try {
    const parsed = compiled(schema).safeParse(input)
    return parsed.success ? ok(parsed.data) : err(() => refusalOf(parsed.error))
  } catch {
    return err(() => invalid('', 'must be readable: a property or a method of it throws'))
  }
}

const refusalOf = (error: z.core.$ZodError): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: violationsOf(error),
})

// The default messages of zod, also in exported schemas: in English, unless the host has set another language.
z.config({ localeError: z.config().localeError ?? en().localeError })

/** Longest part of an unknown field's name that is reported, in UTF-16 units. */
export const LONGEST_NAME = 200

/** The first violations in an input, by field. They name fields and never contain values. */
export const violationsOf = ({ issues }: Pick<z.core.$ZodError, 'issues'>): readonly Violation[] =>
  issues.flatMap(violationsIn).slice(0, MAX_REPORTED)

const violationsIn = (issue: z.core.$ZodIssue): readonly Violation[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: pathOf([...issue.path, key]),
      description: 'is not a known field',
    }))
  return [{ field: pathOf(issue.path), description: descriptionOf(issue) }]
}

const descriptionOf = ({ expected, message }: { expected?: string; message: string }): string =>
  expected === 'object' ? 'must be an object' : message

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((field, step) => {
    if (typeof step === 'number') return `${field}[${step}]`
    const name = String(step).slice(0, LONGEST_NAME).toWellFormed()
    return field === '' ? name : `${field}.${name}`
  }, '')

/** Number of rows of a page: 1 to 1000. Default: 100. */
export const pageSize = z._default(
  z
    .int({ error: 'must be a whole number from 1 to 1000' })
    .check(
      z.minimum(1, { error: 'must be at least 1' }),
      z.maximum(1000, { error: 'must be at most 1000' }),
    ),
  100,
)

/** Whether `value` is a position in the log, a uint64. */
export const isPosition = (value: unknown): value is Position =>
  typeof value === 'bigint' && BigInt.asUintN(64, value) === value

/** The condition of {@link isPosition}, in words. */
export const POSITION_IN_WORDS = 'must be a bigint from 0 to 2^64 - 1'

/** A position in the log. */
export const position = z
  .bigint({ error: POSITION_IN_WORDS })
  .check(z.refine(isPosition, { error: POSITION_IN_WORDS }))

const A_DATE = 'must be a valid Date'

/** A time, to the millisecond. Copied, because the host may change a `Date`. */
export const date = z.pipe(
  z.custom<Date>((value) => value instanceof Date, { error: A_DATE }),
  z.pipe(
    z.transform((value: Date) => new Date(value)),
    z.date({ error: A_DATE }),
  ),
)

/** A {@link date} that RFC 3339 can write. */
export const expiry = date.check(
  z.refine((time) => time.getUTCFullYear() <= 9999, { error: 'must be before the year 10000' }),
)

/** The first position that an event recorded in the millisecond `time` can have. */
export const firstPositionIn = (time: Date): Position => BigInt(time.getTime()) * 1000n

/** The last position that an event recorded in the millisecond `time` can have. */
export const lastPositionIn = (time: Date): Position => firstPositionIn(time) + 999n

/** A position and a time at which roles are checked. */
export interface Moment {
  readonly at?: Position
  readonly now: Date
}

/** The moment of an input with the field `at`, which must not be after `now`; the present without it. */
export const momentOf = (at: Date | undefined, now: Date): Result<Moment, InvalidArgument> => {
  if (at === undefined) return ok({ now })
  if (at > now) return err(invalid('at', 'must not be in the future'))
  return ok({ at: lastPositionIn(at), now: at })
}

/**
 * A field that may be absent but not undefined: leaving it out changes the question, so it must not happen by accident.
 */
export const mayBeLeftOut = <Output, Input>(schema: z.ZodMiniType<Output, Input>) =>
  z.exactOptional(
    z.pipe(
      z.custom<Input>((value) => value !== undefined, {
        error: 'must not be undefined: leave the field out, or give a value',
      }),
      schema,
    ),
  )

export const eventTypes = z.optional(
  listOf(z.enum(EVENT_TYPES, { error: 'must be an event type' }), 1, 100),
)

/** 1 to 400 role keys, without duplicates. */
export const roleKeys = listOf(RoleKey, 1, MAX_GRANTED_ROLES).check(
  onlyOnce((roleKey: RoleKey) => roleKey, []),
)

/** Rows to import: a list, a generator, or rows of a file as it is read. */
export type Rows = Iterable<unknown> | AsyncIterable<unknown>

/** Schema of {@link Rows}. */
export const Rows = z.custom<Rows>(
  (rows) =>
    typeof rows === 'object' &&
    rows !== null &&
    (Symbol.iterator in rows || Symbol.asyncIterator in rows),
  { error: 'must be a list or another iterable' },
)

/** The object of the input on which a permission is needed; undefined when its id is absent or malformed. */
export type Target = (input: unknown, orgId: string) => PermissionTarget | undefined

/** The target of an object of an aggregate whose ids are fields of the input. */
export const targetOf =
  ({ target }: { target(ids: object, orgId: string): PermissionTarget }): Target =>
  (input, orgId) => {
    if (typeof input !== 'object' || input === null) return undefined
    const object = target(input, orgId)
    return isNamed(object) ? object : undefined
  }

/** The target of a write of one object; the target of a read if the object's ids are malformed. */
export const writeTargetOf =
  (aggregate: {
    target(ids: object, orgId: string): PermissionTarget
    writeTarget(ids: object, orgId: string): PermissionTarget
  }): Target =>
  (input, orgId) => {
    const { target, writeTarget } = aggregate
    return targetOf({ target: writeTarget })(input, orgId) ?? targetOf({ target })(input, orgId)
  }

const isNamed = (object: PermissionTarget): boolean => {
  if (object.type === 'domain') return isDomainName(object.id)
  if (object.type === 'project_role')
    return isId(object.projectId) && isRequiredText(object.roleKey)
  if (object.type === 'role_mapping') {
    const { idpId, projectId, projectOrgId, group } = object
    return [idpId, projectId, projectOrgId].every(isId) && isRequiredText(group) && isOn(object)
  }
  if (object.type === 'desired_state') return isRequiredText(object.managedBy)
  if (!isOn(object)) return false
  return isId(object.id) && (object.type !== 'granted_project' || isId(object.orgId))
}

/** Whether the resource, if there is one, is well-formed. */
const isOn = ({ resource }: { readonly resource?: unknown }): boolean =>
  resource === undefined || isRequiredText(resource)

/** The object that the field `object` names; for a role, its project. */
export const targetOfObject: Target = (input, orgId) => {
  const object = fieldOf(input, 'object')
  const aggregate = aggregateNamed(fieldOf(object, 'type'))
  return aggregate && targetOf(aggregate)(object, orgId)
}

/**
 * An `authorize` that allows the permissions in `caller.permissions` in the caller's own organization, and those in
 * `caller.permissionsIn[orgId]` in others. The host is responsible for both lists. A value that is not a list, such as
 * a string or a `Set`, allows nothing.
 */
export const permissionsFromCaller: Authorize = ({ caller, permission, orgId }) => {
  const listed = orgId === caller.orgId ? caller.permissions : permissionsIn(caller, orgId)
  return Array.isArray(listed) && listed.includes(permission)
}

/** Own properties only: the id of an organization may be `constructor`. */
const permissionsIn = (
  { permissionsIn }: Parameters<Authorize>[0]['caller'],
  orgId: string,
): readonly Permission[] | undefined =>
  permissionsIn && Object.hasOwn(permissionsIn, orgId) ? permissionsIn[orgId] : undefined
