import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type {
  AccessPage,
  Applied,
  CheckAccessInput,
  Context,
  Iam,
  IamError,
  ObjectRef,
  Page,
  Read,
  Source,
  Write,
} from '../../index.js'
import type { IdentityProviderTest, TestedIdentityProvider, TransportOptions } from '../options.js'
import {
  accessService,
  historyService,
  identityProviderService,
  methods,
  projectRoleService,
  projectService,
  userGrantService,
  type WireMethod,
} from '../wire.js'
import type { Values } from './message.js'
import {
  getOperation,
  historyOperation,
  listOperation,
  type Operation,
  pageOf,
  pastOperation,
  present,
  readOperation,
  writeOperation,
} from './operation.js'

/** Every operation. @throws TypeError unless `iam` was made by `createIam`, and for an rpc without a method */
export const operationsOf = (
  iam: Iam,
  { testIdentityProvider }: Pick<TransportOptions, 'testIdentityProvider'> = {},
): readonly Operation[] => {
  if (!iam?.projects) throw new TypeError('iam must be made by createIam')
  const { projects, projectRoles, userGrants, access, history } = iam
  const { addProject, checkLogin, listRoleClaims } = projectService
  const { checkAccess, listRolesOfUser, listRoleHolders, listAllRoleHolders } = accessService
  /** Operations whose methods have other names, or whose responses are of their own. */
  const others = [
    testOperation(iam, testIdentityProvider),
    writeOperation(addProject, projects.add, ({ projectId }) => ({ id: projectId })),
    readOperation(checkLogin, projects.checkLogin, () => ({})),
    readOperation(listRoleClaims, projects.roleClaims, (roleClaims) => ({ roleClaims })),
    writeOperation(projectRoleService.addProjectRoles, projectRoles.addMany),
    readOperation(userGrantService.removeAllUserGrants, userGrants.removeAllOfUser),
    readOperation(userGrantService.removeAllGrantsOfResource, userGrants.removeAllOfResource),
    historyOperation(historyService.listHistory, history),
    applyOperation(accessService.applyAccess, iam),
    readOperation(checkAccess, (input: CheckAccessInput, context) => access.check(input, context)),
    readOperation(accessService.explainAccess, access.explain),
    accessOperation(listRolesOfUser, access.rolesOf, withGroup),
    accessOperation(accessService.listScopesOfUser, access.scopesOf, (scope) => scope),
    accessOperation(listRoleHolders, access.whoHas, withGroup),
    accessOperation(listAllRoleHolders, access.whoHas, withGroup),
    accessOperation(accessService.listUsers, access.users, ({ userId, roles }) => ({
      userId,
      roles: roles.map(withGroup),
    })),
    readOperation(accessService.listPermissions, access.permissions),
  ]
  return methods.map(
    (method) => others.find((other) => other.method === method) ?? operationOn(method, iam),
  )
}

/**
 * The operation of the method that an rpc is named after: `AddUserGrantRoles` of `UserGrantService` calls
 * `userGrants.addRoles`.
 */
const operationOn = (method: WireMethod, iam: Iam): Operation => {
  const { service, name, effect, response } = method
  const object = service.replace(/^.*\.(\w+)Service$/, '$1')
  // Cast: an object of the library has the type that its service is named after.
  const type = object.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase() as ObjectRef['type']
  if (name === `List${object}History`) return historyOperation(method, iam.history, type)
  if (name === `Get${object}State`) return pastOperation(method, iam.history, type)
  const short = name.replace(new RegExp(`${object}(s$|(?=[A-Z]|$))`), '')
  const methodsOfObject = Object(Reflect.get(iam, `${lowerFirst(object)}s`))
  const called: unknown = Reflect.get(methodsOfObject, lowerFirst(short))
  if (typeof called !== 'function') throw new TypeError(`${service}/${name} has no method`)
  // Casts: every method checks its input, and answers what the response of its rpc has.
  if (effect === 'command') return writeOperation(method, called as Write<Values, object>)
  return response.fields[0]?.isList
    ? listOperation(method, called as Read<Values, Page<object>>)
    : getOperation(method, called as Read<Values, object>)
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

const SECRET_FOR_OTHER_ISSUER = {
  name: 'secret',
  verdict: 'failed',
  message: 'The client secret was set for another issuer: set it again.',
} as const

type Tested = Result<TestedIdentityProvider, IamError>

/** The operation that tests a provider. A fault of the provider is a finding, not an error. */
const testOperation = (iam: Iam, test: IdentityProviderTest | undefined): Operation => {
  const testing = async (idpId: string, context: Context): Promise<Tested> => {
    // A patch of nothing needs the permission and the provider that a test needs.
    const { caller, orgId, signal } = context
    const dryContext = { caller, orgId, signal, dryRun: true } as const
    const permitted = await iam.identityProviders.patch({ idpId }, dryContext)
    if (permitted.isErr()) return err(permitted.error)
    if (test === undefined) return err({ kind: 'NotConfigured', option: 'testIdentityProvider' })
    if (caller === undefined) return err({ kind: 'Unauthenticated' })
    const tested = await test({ orgId: caller.orgId, idpId })
    if (tested.isErr() && Reflect.get(Object(tested.error), 'kind') === 'SecretForOtherIssuer')
      return ok({ checks: [SECRET_FOR_OTHER_ISSUER] })
    if (tested.isErr()) throw new Error('testIdentityProvider failed', { cause: tested.error })
    return ok(tested.value)
  }
  return readOperation(
    identityProviderService.testIdentityProvider,
    ({ idpId }: { readonly idpId: string }, context) => new ResultAsync(testing(idpId, context)),
  )
}

/** The operation of a method that lists who has roles in an order of its own, in the first field of the response. */
const accessOperation = <Input, Item>(
  method: WireMethod,
  list: Read<Input, AccessPage<Item>>,
  show: (item: Item) => object,
): Operation => {
  const name = method.response.fields[0]?.name ?? ''
  const { run } = readOperation(method, list, (page) => ({ ...page, [name]: page.items.map(show) }))
  return { method, run: (values, context) => run(pageOf(values), context) }
}

/** On the network, a role names the group that gives it, and of a grant none. */
const withGroup = ({ via, ...item }: { readonly via: Source }): object =>
  via === 'grant' ? item : { ...item, via }

/** The operation that applies a desired state, or with `validateOnly` plans it. */
const applyOperation = (method: WireMethod, { plan, apply }: Iam): Operation => {
  const applied = readOperation(method, apply, planResponse)
  // The desired state in a plan stays within the process: plans are not accepted from the network.
  const planned = readOperation(method, plan, ({ desired: _, ...printed }) => planResponse(printed))
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

/** A version is read as 64 bits; a number of JavaScript has 53. */
const desiredAccess = ({ projects, identityProviders, version, ...values }: Values): Values => ({
  ...values,
  ...present({ projects, identityProviders }),
  version: version === undefined ? undefined : Number(version),
})

const planResponse = ({ version, ...plan }: Applied): object => ({
  ...plan,
  version: version === undefined ? undefined : BigInt(version),
})
