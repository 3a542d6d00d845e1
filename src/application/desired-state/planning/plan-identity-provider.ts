import { err, ok, type Result } from 'neverthrow'
import { decideAll, exists } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/commands.js'
import { identityProvider } from '../../../domain/identity-provider/decider.js'
import type { IamError, InvalidArgument } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Marks } from '../../recording/metadata.js'
import { change, detailsOf } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedProvider } from '../declared/desired-identity-provider.js'
import { isSuperseded, marksOn } from './object-marks.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  type PendingChange,
  superseded,
} from './pending-change.js'
import { sealIfChanged } from './seal-if-changed.js'

/** A declared identity provider, its index in the list, and the marks of its desired state. */
export interface DeclaredProvider {
  readonly desired: ParsedProvider
  readonly index: number
  readonly marks: Marks
}

/** Secret of a provider that is added as inactive without one. */
const NOT_SET = 'not set'

/**
 * The change of an identity provider. Refused: a new provider without name, or active without secret; a change of the OIDC
 * configuration without an issuer.
 */
export const planIdentityProvider = async (
  runtime: Runtime,
  call: AdmittedCall,
  declared: DeclaredProvider,
): Promise<Result<readonly PendingChange[], IamError>> => {
  const { desired, index, marks } = declared
  const { clientSecret: given, initialState, ...fields } = desired
  const { idpId, issuer } = fields
  const object = { type: 'identity_provider', idpId } as const
  const before = await runtime.states.readLatest(identityProviders, call.orgId, { idpId })
  const { name: stream, state } = before
  if (state.status === 'removed') return ok([blocked(object)])
  const found = exists(state) ? state : undefined
  const current: CurrentObject = found
    ? { object, details: detailsOf(before, call.orgId), values: found }
    : { object }
  if (isSuperseded(marks, (await marksOn(runtime, marks, [stream])).get(stream)))
    return ok([superseded(current)])

  const isAddedInactive = !found && initialState === 'inactive'
  const secret = given ?? (isAddedInactive ? NOT_SET : undefined)
  const required = { name: desired.name, clientSecret: secret }
  const missing = found ? [] : REQUIRED.filter((field) => required[field] === undefined)
  if (missing.length > 0)
    return err(invalidFields(index, missing, 'is required to add the provider'))
  const stored = found?.clientSecret
  const clientSecret =
    secret === undefined
      ? undefined
      : await sealIfChanged(runtime, call, { idpId, declared: secret, stored })
  const isSecretUnchanged = secret !== undefined && clientSecret === undefined
  const data = { ...fields, clientSecret }
  const commands: IdentityProviderCommand[] = [
    found
      ? { type: 'PatchIdentityProvider', data }
      : { type: 'AddOidcIdentityProvider', data: AddOidcIdentityProvider.shape.data.parse(data) },
    ...(isAddedInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  return decideAll(identityProvider, commands, before).andThen((events) =>
    issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
      ? err(invalidFields(index, ['issuer'], 'must not be empty'))
      : ok([changeBy(change(before, events).events, current, { isSecretUnchanged })]),
  )
}

/** What a new provider must have. */
const REQUIRED = ['name', 'clientSecret'] as const

const invalidFields = (
  index: number,
  fields: readonly (keyof ParsedProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `identityProviders[${index}].${field}`,
    description,
  })),
})
