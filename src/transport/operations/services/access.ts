import type { DescMethodUnary } from '@bufbuild/protobuf'
import { err } from 'neverthrow'
import type { AccessPage, Applied, Context, Iam, IamError, Read } from '../../../index.js'
import { AccessService } from '../../gen/claviger/v1/access_service_pb.js'
import type { Values } from '../../messages/message-fields.js'
import { answering, type Operation } from '../operation.js'

/** The operations of `AccessService`. */
export const accessOperations = (iam: Iam): readonly Operation[] => [
  applying(AccessService.method.applyAccess, iam),
  answering(AccessService.method.checkAccess, iam.access.check, (check) => check),
  paging(AccessService.method.listRolesOfUser, iam.access.rolesOf),
  paging(AccessService.method.listRoleHolders, iam.access.whoHas),
]

/** The operation of a method that lists what it finds in an order of its own, in the first field of the response. */
const paging = <Input, Item>(
  rpc: DescMethodUnary,
  list: Read<Input, AccessPage<Item>>,
): Operation => {
  const [field] = rpc.output.fields
  const name = field?.jsonName ?? ''
  const operation = answering(rpc, list, (page) => ({ ...page, [name]: page.items }))
  return {
    ...operation,
    run: ({ pageSize, pageToken, ...asked }, context) =>
      operation.run(
        { ...asked, pageSize: pageSize || undefined, pageToken: pageToken || undefined },
        context,
      ),
  }
}

/** The operation that applies a desired state, or with `validateOnly` plans it. */
const applying = (rpc: DescMethodUnary, { plan, apply }: Iam): Operation => {
  const applied = answering(rpc, apply, planResponse)
  // What a plan carries to be applied stays within the process: no plan is taken from the network.
  const planned = answering(rpc, plan, ({ desired: _, ...shown }) => planResponse(shown))
  return {
    ...applied,
    effect: 'organization',
    run: async ({ validateOnly, ...values }, context) => {
      const desired = desiredAccess(values)
      if (validateOnly !== true) return applied.run(desired, context)
      const refusal = refusalOf(context)
      return refusal ? err(refusal) : planned.run(desired, context)
    },
  }
}

/** Protobuf has no list that is there and empty. A version is read as 64 bits, of which JavaScript has 53. */
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

/** `apply` refuses what is meant for one object; `plan`, which records nothing, has no use for it. */
const refusalOf = (context: Context): IamError | undefined => {
  const given = (['expectedSequence', 'idempotencyKey'] as const).filter(
    (field) => context[field] !== undefined,
  )
  const description = 'is not accepted by this method'
  const violations = given.map((field) => ({ field, description }))
  return violations.length > 0 ? { kind: 'InvalidArgument', violations } : undefined
}
