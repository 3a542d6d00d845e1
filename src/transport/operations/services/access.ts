import type { AccessPage, Applied, CheckAccessInput, Iam, Read, RoleWay } from '../../../index.js'
import { accessService, historyService, type WireMethod } from '../../wire.js'
import { historyOperation } from '../history.js'
import type { Values } from '../message.js'
import { type Operation, pageOf, readOperation } from '../operation.js'

/** The operations of `AccessService`. */
export const accessOperations = (iam: Iam): readonly Operation[] => [
  applyOperation(accessService.applyAccess, iam),
  checkOperation(accessService.checkAccess, iam),
  readOperation(accessService.explainAccess, iam.access.explain, (explained) => explained),
  pageOperation(accessService.listRolesOfUser, iam.access.rolesOf),
  pageOperation(accessService.listRoleHolders, iam.access.whoHas),
  pageOperation(accessService.listAllRoleHolders, iam.access.whoHas),
  readOperation(accessService.listPermissions, iam.access.permissions, (answer) => answer),
]

/** The operations of `HistoryService`. */
export const historyOperations = ({ history }: Iam): readonly Operation[] => [
  historyOperation(historyService.listHistory, history),
]

/** The operation that checks an access. Fields that the request leaves out are left out of the input. */
const checkOperation = (method: WireMethod, { access }: Iam): Operation => {
  const { run } = readOperation(
    method,
    (input: CheckAccessInput, context) => access.check(input, context),
    (check) => check,
  )
  return { method, run: (values, context) => run(given(values), context) }
}

const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The operation of a method that lists who has roles in an order of its own, in the first field of the response. */
const pageOperation = <Input, Item extends { readonly via: RoleWay }>(
  method: WireMethod,
  list: Read<Input, AccessPage<Item>>,
): Operation => {
  const name = method.response.fields[0]?.name ?? ''
  const operation = readOperation(method, list, (page) => ({
    ...page,
    [name]: page.items.map(({ via, ...item }) => (via === 'grant' ? item : { ...item, via })),
  }))
  return { method, run: (values, context) => operation.run(pageOf(values), context) }
}

/** The operation that applies a desired state, or with `validateOnly` plans it. */
const applyOperation = (method: WireMethod, { plan, apply }: Iam): Operation => {
  const applied = readOperation(method, apply, planResponse)
  // The desired state in a plan stays within the process: plans are not accepted from the network.
  const planned = readOperation(method, plan, ({ desired: _, ...shown }) => planResponse(shown))
  return {
    method,
    run: async ({ validateOnly, ...values }, context) => {
      const desired = desiredAccess(values)
      // To plan is to read, which has no reason.
      return validateOnly === true
        ? planned.run(desired, { ...context, reason: undefined })
        : applied.run(desired, context)
    },
  }
}

/** In protobuf an empty list is an absent one. A version is read as 64 bits; a number of JavaScript has 53. */
const desiredAccess = ({ projects, identityProviders, version, ...values }: Values): Values => ({
  ...values,
  projects: unlessEmpty(projects),
  identityProviders: unlessEmpty(identityProviders),
  version: version === undefined ? undefined : Number(version),
})

const unlessEmpty = (list: unknown): unknown =>
  Array.isArray(list) && list.length === 0 ? undefined : list

const planResponse = ({ version, ...plan }: Applied): object => ({
  ...plan,
  version: version === undefined ? undefined : BigInt(version),
})
