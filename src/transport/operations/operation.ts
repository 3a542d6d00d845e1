import type { Result } from 'neverthrow'
import type { Context, History, IamError, ObjectRef, Page, Read, Write } from '../../index.js'
import type { WireField, WireMessage, WireMethod } from '../wire.js'
import type { Values } from './message.js'
import { malformed } from './refusal.js'

/** An operation, the same in every protocol. */
export interface Operation {
  readonly method: WireMethod
  /** Whether callers need not authenticate. */
  readonly isPublic?: true
  /** Maps the values of a request to the values of a response. */
  readonly run: (values: Values, context: Context) => PromiseLike<Result<object, IamError>>
}

/**
 * The operation of a method that changes something. The response has the fields of the method's outcome and of `idsOf`.
 * With `validateOnly` it is a dry run.
 */
export const writeOperation = <Input, Ids>(
  method: WireMethod,
  write: Write<Input, Ids>,
  idsOf: (ids: Ids) => object = () => ({}),
): Operation => {
  const recording = readOperation(
    method,
    (input: Input, context) => write(input, context),
    (written) => ({ ...written, ...idsOf(written) }),
  )
  const planning = readOperation(
    method,
    (input: Input, context) => write(input, { ...context, dryRun: true }),
    ({ details, ...planned }) => ({ details, planned }),
  )
  return {
    method,
    run: ({ validateOnly, ...values }, context) =>
      (validateOnly === true ? planning : recording).run(values, context),
  }
}

/** The operation of a method that returns one object, in the first field of the response. */
export const getOperation = <Input, Shown>(
  method: WireMethod,
  get: Read<Input, Shown>,
): Operation => {
  const name = firstField(method)?.name ?? ''
  return readOperation(method, get, (view) => ({ [name]: view }))
}

/** The operation of a method that lists objects, page by page: the first field of the response. */
export const listOperation = <Input, Item>(
  method: WireMethod,
  list: Read<Input, Page<Item>>,
): Operation => {
  const field = firstField(method)
  const name = field?.name ?? ''
  const sortable = field?.kind === 'message' ? sortFields(field.message) : []
  const operation = readOperation(method, list, (page) => ({ ...page, [name]: page.items }))
  return {
    method,
    run: ({ orderBy, ...values }, context) =>
      operation.run({ ...pageOf(values), sort: sortOf(sortable, String(orderBy)) }, context),
  }
}

/** The operation of a method that changes nothing. `responseOf` makes the response from its result. */
export const readOperation = <Input, Answer>(
  method: WireMethod,
  read: Read<Input, Answer, IamError>,
  responseOf: (answer: Answer) => object = Object,
): Operation => ({
  method,
  // Cast: every method checks its input.
  run: (values, context) => read(values as Input, context).then((answer) => answer.map(responseOf)),
})

/** The operation that lists the history of an object of a type, named by the ids of the request; all history without one. */
export const historyOperation = (
  method: WireMethod,
  { list }: History,
  type?: ObjectRef['type'],
): Operation => {
  const operation = readOperation(method, list, (page) => ({ ...page, entries: page.items }))
  return withNamesOfRequest({
    method,
    run: (values, context) => operation.run(historyInput(values, type), context),
  })
}

/** The operation that shows a past state of an object of a type. */
export const pastOperation = (
  method: WireMethod,
  { stateAt }: History,
  type: ObjectRef['type'],
): Operation => {
  const operation = getOperation(method, stateAt)
  return withNamesOfRequest({
    method,
    run: ({ sequence, time, ...ids }, context) =>
      operation.run({ object: { type, ...ids }, sequence, time }, context),
  })
}

const historyInput = (
  { including, user, actor, types, order, after, before, time, pageSize, ...ids }: Values,
  type: ObjectRef['type'] | undefined,
): Values => ({
  // Without a type they name a project, and filter all history.
  ...(type ? { object: { type, ...ids } } : present(ids)),
  ...present({ including, user, actor, types, order, after, before, time, limit: pageSize }),
})

/** The operation with refusals that name the request's fields instead of the library's. */
const withNamesOfRequest = ({ method, run }: Operation): Operation => ({
  method,
  run: (values, context) => run(values, context).then((answer) => answer.mapErr(renamed)),
})

const renamed = (error: IamError): IamError => {
  if (error.kind !== 'InvalidArgument') return error
  const violations = error.violations.map(({ field, description }) => ({
    field: field === 'limit' ? 'pageSize' : field.replace(/^object\./, ''),
    description,
  }))
  return { ...error, violations }
}

const firstField = ({ response }: WireMethod): WireField | undefined => response.fields[0]

/** The input of a method that lists. */
export const pageOf = ({ pageSize, pageToken, userIds, ...others }: Values): Values => ({
  ...others,
  ...present({ pageSize, pageToken, userIds }),
})

/** The values that are not zero or empty, which mean absent (AIP-158). In protobuf an empty list is an absent one. */
export const present = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== 0 && Object(value ?? '').length !== 0),
  )

/**
 * The fields of an item with a single value, and of its `details` without the owner, which is the same for the whole
 * list.
 */
const sortFields = ({ fields }: WireMessage): readonly WireField[] =>
  fields
    .filter(({ isList }) => !isList)
    .flatMap((field) => (field.kind === 'message' ? field.message.fields : [field]))
    .filter(({ name }) => name !== 'resourceOwner')

/**
 * `name desc,change_date` (AIP-132) as sort keys, by either name of a field.
 *
 * @throws Refusal for a field that cannot be sorted by, or is named twice
 */
const sortOf = (fields: readonly WireField[], orderBy: string): readonly object[] => {
  if (orderBy === '') return []
  const seen = new Set<WireField>()
  // More keys than fields name one twice or an unknown one: no further key is read.
  return orderBy.split(',', fields.length + 1).map((key) => {
    const [, name, direction] = /^ *(\w+)(?: +(asc|desc))? *$/.exec(key) ?? []
    const field = fields.find((known) => known.name === name || known.protoName === name)
    if (!field) {
      const names = fields.map((known) => known.name).join(', ')
      throw wrongOrder(`must be a comma-separated list of: ${names}; append " desc" to reverse`)
    }
    if (seen.has(field)) throw wrongOrder('must not name a field twice')
    seen.add(field)
    return { field: field.name, direction: direction === 'desc' ? 'desc' : 'asc' }
  })
}

const wrongOrder = (description: string) => malformed({ field: 'orderBy', description })
