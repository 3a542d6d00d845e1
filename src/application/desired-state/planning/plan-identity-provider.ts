import { err, ok, type Result } from 'neverthrow'
import { decideAll, exists } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/commands.js'
import { identityProvider } from '../../../domain/identity-provider/decider.js'
import type { IamError, InvalidArgument } from '../../errors/errors.js'
import { seal } from '../../identity-providers/client-secrets.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Marks } from '../../recording/metadata.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import type { DesiredIdentityProvider, ParsedProvider } from '../declared/desired-access.js'
import type { PlannedField } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  marksOn,
  type PendingChange,
  plannedEvents,
  superseded,
} from './pending-change.js'
import { type DeclaredSecret, isSecretKept } from './sealed-secrets.js'

/** A declared identity provider, its index in the list, its secret, and the marks of its desired state. */
interface DeclaredProvider {
  readonly desired: ParsedProvider
  readonly index: number
  readonly secret: DeclaredSecret | undefined
  readonly marks: Marks
}

/**
 * The change of an identity provider. Refused: a new provider without name, or active without secret; a change of the OIDC
 * configuration without an issuer.
 */
export const planIdentityProvider = async (
  runtime: Runtime,
  call: AdmittedCall,
  declared: DeclaredProvider,
): Promise<Result<readonly PendingChange[], IamError>> => {
  const { secret, index, marks } = declared
  const { sealedSecret: _, initialState, ...fields } = declared.desired
  const { idpId, issuer } = fields
  const object = { type: 'identity_provider', idpId } as const
  const before = await runtime.states.readLatest(identityProviders, call.orgId, { idpId })
  const { name: stream, state } = before
  if (state.status === 'removed') return ok([blocked(object)])
  const current: CurrentObject = exists(state)
    ? { object, details: detailsOf(before, call.orgId), values: state }
    : { object }
  if (isSuperseded(marks, (await marksOn(runtime, marks, [stream])).get(stream)))
    return ok([superseded(current)])

  if (exists(state)) {
    const stored = state.clientSecret
    const isKept =
      secret && (await isSecretKept(runtime, call, { idpId, declared: secret, stored }))
    const data = { ...fields, clientSecret: isKept ? undefined : secret?.sealed }
    const shown = secret && secretField(isKept ? 'unchanged' : 'changed')
    return identityProvider
      .decide({ type: 'PatchIdentityProvider', data }, state)
      .andThen((events) =>
        issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
          ? err(invalidFields(index, ['issuer'], 'must not be empty'))
          : ok([changeBy(plannedEvents(events), current, shown)]),
      )
  }

  const isInactive = initialState === 'inactive'
  const missing = [
    ...(fields.name === undefined ? (['name'] as const) : []),
    ...(secret || isInactive ? [] : (['clientSecret'] as const)),
  ]
  if (missing.length > 0)
    return err(invalidFields(index, missing, 'is required to add the provider'))
  const clientSecret =
    secret?.sealed ?? (await seal(runtime, NOT_SET, { orgId: call.orgId, idpId }))
  const data = AddOidcIdentityProvider.shape.data.parse({ ...fields, clientSecret })
  const commands: IdentityProviderCommand[] = [
    { type: 'AddOidcIdentityProvider', data },
    ...(isInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  return decideAll(identityProvider, commands, before).map((events) => [
    changeBy(plannedEvents(events), current, [
      ...(isInactive ? [{ field: 'state', to: 'inactive' }] : []),
      ...secretField('set'),
    ]),
  ])
}

/** Secret of a provider that is added as inactive without one. */
const NOT_SET = 'not set'

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
