import { err, ok, type Result } from 'neverthrow'
import { decideAll, exists } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/commands.js'
import { identityProvider } from '../../../domain/identity-provider/decider.js'
import type { InvalidArgument, WriteError } from '../../errors/errors.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { DesiredIdentityProvider, ParsedProvider } from '../declared/desired-access.js'
import type { PlannedField } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  type PendingChange,
  plannedEvents,
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
  const current: CurrentObject = exists(state)
    ? { object, details: detailsOf(before, call.orgId), values: state }
    : { object }
  if (await isSuperseded(planning, before.name)) return ok([superseded(current)])

  if (exists(state)) {
    const secret = await secretOf(planning, desired, state.clientSecret)
    const data = { ...fields, clientSecret: secret?.isStored ? undefined : secret?.sealed }
    const shown = secret && secretField(secret.isStored ? 'unchanged' : 'changed')
    return identityProvider
      .decide({ type: 'PatchIdentityProvider', data }, state)
      .andThen((events) =>
        issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
          ? err(invalidFields(index, ['issuer'], 'must not be empty'))
          : ok([changeBy(plannedEvents(events), current, shown)]),
      )
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
  return decideAll(identityProvider, commands, before).map((events) => [
    changeBy(plannedEvents(events), current, [...shown, ...secretField('set')]),
  ])
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
