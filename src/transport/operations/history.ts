import type { History, IamError, ObjectRef } from '../../index.js'
import type { WireMethod } from '../wire.js'
import type { Values } from './message.js'
import { getOperation, type Operation, readOperation } from './operation.js'

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

/** Zero and empty mean absent. */
const historyInput = (
  { including, user, actor, types, order, after, before, time, pageSize, ...ids }: Values,
  type: ObjectRef['type'] | undefined,
): Values => ({
  object: type && { type, ...ids },
  including: including || undefined,
  user: user || undefined,
  actor: actor || undefined,
  types: Array.isArray(types) && types.length === 0 ? undefined : types,
  order: order || undefined,
  after,
  before,
  time,
  limit: pageSize || undefined,
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
