import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { History, Iam, IamError, ObjectRef } from '../../../index.js'
import { HistoryService } from '../../gen/claviger/v1/history_service_pb.js'
import type { Values } from '../../messages/message-fields.js'
import { answering, type Operation, showing } from '../operation.js'

/** The operations of `HistoryService`. */
export const historyOperations = ({ history }: Iam): readonly Operation[] => [
  listingHistory(HistoryService.method.listHistory, history),
]

/** The operation that lists the history of an object of that type, whose ids the request has; without one, all history. */
export const listingHistory = (
  rpc: DescMethodUnary,
  { list }: History,
  type?: ObjectRef['type'],
): Operation => {
  const operation = answering(rpc, list, (page) => ({ ...page, entries: page.items }))
  return renaming({
    ...operation,
    run: (values, context) => operation.run(historyInput(values, type), context),
  })
}

/** The operation that shows an object of that type as it was. */
export const showingPast = (
  rpc: DescMethodUnary,
  { stateAt }: History,
  type: ObjectRef['type'],
): Operation => {
  const operation = showing(rpc, stateAt)
  return renaming({
    ...operation,
    run: ({ sequence, time, ...ids }, context) =>
      operation.run({ object: { type, ...ids }, sequence, time }, context),
  })
}

/** Zero and empty stand for absent. */
const historyInput = (
  { including, actor, types, order, after, before, time, pageSize, ...ids }: Values,
  type: ObjectRef['type'] | undefined,
): Values => ({
  object: type && { type, ...ids },
  including: including || undefined,
  actor: actor || undefined,
  types: Array.isArray(types) && types.length === 0 ? undefined : types,
  order: order || undefined,
  after,
  before,
  time,
  limit: pageSize || undefined,
})

/** `operation` with refusals that name the fields of the request. */
const renaming = (operation: Operation): Operation => ({
  ...operation,
  run: (values, context) =>
    operation.run(values, context).then((answer) => answer.mapErr(withNamesOfRequest)),
})

const withNamesOfRequest = (error: IamError): IamError => {
  if (error.kind !== 'InvalidArgument') return error
  const violations = error.violations.map(({ field, description }) => ({
    field: field === 'limit' ? 'pageSize' : field.replace(/^object\./, ''),
    description,
  }))
  return { ...error, violations }
}
