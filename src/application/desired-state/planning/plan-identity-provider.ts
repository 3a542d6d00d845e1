import { err, ok, type Result } from 'neverthrow'
import { decideAll, exists } from '../../../domain/decider.js'
import {
  type IdentityProviderState,
  identityProvider,
  identityProviders,
  isSecretFor,
} from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/commands.js'
import type { IdpId } from '../../../domain/values.js'
import type { InvalidArgument, WriteError } from '../../errors/errors.js'
import { refusePermission } from '../../method/method.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { DesiredIdentityProvider, ParsedProvider } from '../declared/desired-access.js'
import { permissionsToLift } from '../permissions-for-plan.js'
import type { PlannedEvent, PlannedField } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  lift,
  type PendingChange,
  plannedEvents,
  protectDeclared,
  schemaVersionOf,
  superseded,
} from './pending-change.js'
import { type Planning, secretOf } from './sealed-secrets.js'

/**
 * The change of the identity provider at `index`. Refused: a new provider without name, or active without secret; a change
 * of the OIDC configuration without an issuer.
 */
export const planIdentityProvider = async (
  planning: Planning,
  desired: ParsedProvider,
  index: number,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call, secrets } = planning
  const { sealedSecret: _, initialState, ...fields } = desired
  const { idpId, issuer } = fields
  const object = { type: 'identity_provider', idpId } as const
  const before = await runtime.states.readLatest(identityProviders, call.orgId, { idpId })
  const { state } = before
  if (state.status === 'removed') return ok([blocked(object)])
  const { protectedBy } = before
  const current: CurrentObject = exists(state)
    ? { object, details: detailsOf(before, call.orgId), values: state, protectedBy }
    : { object }
  const touch = () => touchOf(state)
  if (await isSuperseded(planning, before.name)) return ok([superseded(current)])

  if (exists(state)) {
    const secret = await secretOf(planning, desired, state.clientSecret)
    // A secret that is declared with another issuer belongs to that issuer.
    const isKept = secret?.isStored && isSecretFor(issuer ?? state.issuer, state)
    const data = { ...fields, clientSecret: isKept ? undefined : secret?.sealed }
    const shown = secret && secretField(isKept ? 'unchanged' : 'changed')
    return identityProvider
      .decide({ type: 'PatchIdentityProvider', data }, state)
      .andThen((events) =>
        issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
          ? err(invalidFields(index, ['issuer'], 'must not be empty'))
          : protectDeclared(planning, changeBy(plannedEvents(events), current, shown), {
              current,
              touch,
            }),
      )
      .map((planned) => [planned])
  }

  const given = { name: fields.name, clientSecret: secrets.get(idpId)?.sealed }
  const missing = (['name', 'clientSecret'] as const).filter((field) => given[field] === undefined)
  if (missing.length > 0)
    return err(invalidFields(index, missing, 'is required to add the provider'))
  const data = AddOidcIdentityProvider.shape.data.parse({ ...fields, ...given })
  const isInactive = initialState === 'inactive'
  const commands: IdentityProviderCommand[] = [
    { type: 'AddOidcIdentityProvider', data },
    ...(isInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  const shown = isInactive ? [{ field: 'state', to: 'inactive' }] : []
  return decideAll(identityProvider, commands, before)
    .andThen((events) => {
      const planned = changeBy(plannedEvents(events), current, [...shown, ...secretField('set')])
      return protectDeclared(planning, planned, { current, touch })
    })
    .map((planned) => [planned])
}

/** The change that ends the protection of a provider that is no longer declared. */
export const liftIdentityProvider = async (
  planning: Planning,
  idpId: IdpId,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call } = planning
  const object = { type: 'identity_provider', idpId } as const
  const before = await runtime.states.readLatest(identityProviders, call.orgId, { idpId })
  const { state, protectedBy } = before
  if (protectedBy === undefined || protectedBy !== planning.access.managedBy) return ok([])
  for (const question of permissionsToLift(['identity_provider'], {
    object,
    method: call.method,
  })) {
    const denied = await refusePermission(runtime, call, question)
    if (denied) return err(denied)
  }
  const current = { object, details: detailsOf(before, call.orgId), protectedBy }
  if (await isSuperseded(planning, before.name)) return ok([superseded(current)])
  return ok([lift(current, () => touchOf(state))])
}

/** An event that replaces a provider's name and appearance with the same values. */
const touchOf = (state: IdentityProviderState): PlannedEvent => {
  if (!exists(state)) throw new Error('A provider that does not exist has no fields')
  const { idpId, name, stylingType, autoRegister } = state
  const type = 'identity_provider.updated'
  const data = { idpId, name, stylingType, autoRegister }
  return { type, schemaVersion: schemaVersionOf(type), data }
}

const secretField = (secret: 'set' | 'changed' | 'unchanged'): readonly PlannedField[] => [
  { field: 'clientSecret', secret },
]

const invalidFields = (
  index: number,
  fields: readonly (keyof DesiredIdentityProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `identityProviders[${index}].${field}`,
    description,
  })),
})
