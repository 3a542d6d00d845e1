import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../../domain/decider.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/commands.js'
import {
  identityProviderStream,
  type OidcIdentityProviderAdded,
} from '../../../domain/identity-provider/events.js'
import type { SealedSecret } from '../../../domain/values.js'
import type { IamError, InvalidArgument } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf } from '../../recording/tracked.js'
import type { Runtime } from '../../runtime.js'
import type { Manager } from '../declared/access-version.js'
import type { ParsedProvider } from '../declared/desired-identity-provider.js'
import { fieldChanges, type PlannedField } from '../plan/planned-field.js'
import { blocked, type Draft, draft, superseded } from './draft.js'
import { isSuperseded, marksOn } from './marks.js'
import { type PlannedSecret, planSecret } from './plan-secret.js'

/** A declared identity provider, where in the list it stands, and whose list that is. */
export interface ProviderToPlan {
  readonly desired: ParsedProvider
  readonly index: number
  readonly manager: Manager
}

type Found = Omit<OidcIdentityProviderAdded['data'], 'idpId'>

/**
 * What makes an identity provider as desired. Refused: a new one without name or secret; an update of
 * the OIDC configuration without an issuer.
 */
export const planIdentityProvider = async (
  runtime: Runtime,
  call: AdmittedCall,
  toPlan: ProviderToPlan,
): Promise<Result<readonly Draft[], IamError>> => {
  const { desired, manager } = toPlan
  const { idpId, issuer, clientSecret: declared } = desired
  const object = { type: 'identity_provider', idpId } as const
  const stream = identityProviderStream(call.orgId, idpId)
  const idp = runtime.identityProviders.track(stream)
  await idp.refresh()
  const { state, snapshot } = idp
  if (state.status === 'removed') return ok([blocked(object)])
  const found = exists(state) ? state : undefined
  const details = found && detailsOf(snapshot, call.orgId)
  const marks = await marksOn(runtime, manager, [stream])
  if (isSuperseded(manager, marks.get(stream))) return ok([superseded({ object, details })])
  const stored = found?.clientSecret
  const secret =
    declared === undefined
      ? undefined
      : await planSecret(runtime, call, { idpId, declared, stored })

  return commandsOf(toPlan, found, secret)
    .andThen((commands) => idp.decideAll(commands))
    .andThen((events) =>
      issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
        ? err(objection(toPlan, ['issuer'], 'must not be empty'))
        : ok([
            draft({
              object,
              fields: [...fieldChanges(found, fieldsOf(desired, found)), ...shownSecret(secret)],
              events,
              details,
            }),
          ]),
    )
}

const shownSecret = (secret: PlannedSecret | undefined): readonly PlannedField[] =>
  secret ? [{ field: 'clientSecret', secret: secret.shows }] : []

const commandsOf = (
  toPlan: ProviderToPlan,
  found: Found | undefined,
  secret: PlannedSecret | undefined,
): Result<readonly IdentityProviderCommand[], InvalidArgument> => {
  const { desired } = toPlan
  const { idpId } = desired
  const sealed: { readonly clientSecret?: SealedSecret } =
    secret && 'sealed' in secret ? { clientSecret: secret.sealed } : {}
  const { name, stylingType, autoRegister, ...oidc } = fieldsOf(desired, found)
  const appearance = { idpId, name, stylingType, autoRegister }
  if (found)
    return ok([
      { type: 'UpdateIdentityProvider', data: appearance },
      { type: 'UpdateOidcConfig', data: { idpId, ...oidc, ...sealed } },
    ])
  const { clientSecret } = sealed
  if (desired.name === undefined || clientSecret === undefined) {
    const required = ['name', 'clientSecret'] as const
    const missing = required.filter((field) => desired[field] === undefined)
    return err(objection(toPlan, missing, 'is required to add the provider'))
  }
  const data = { ...appearance, ...oidc, clientSecret }
  return ok([{ type: 'AddOidcIdentityProvider', data }])
}

const objection = (
  { index }: ProviderToPlan,
  fields: readonly (keyof ParsedProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `identityProviders[${index}].${field}`,
    description,
  })),
})

const Defaults = z.omit(AddOidcIdentityProvider.shape.data, { name: true, clientSecret: true })

/** The fields as they are to be: what is not declared stays what it is, or has its default. */
const fieldsOf = (desired: ParsedProvider, found: Found | undefined) => {
  const { idpId, clientId, issuer } = desired
  const base = found ?? { name: '', ...Defaults.parse({ idpId, clientId, issuer }) }
  return {
    name: desired.name ?? base.name,
    stylingType: desired.stylingType ?? base.stylingType,
    autoRegister: desired.autoRegister ?? base.autoRegister,
    clientId,
    issuer,
    scopes: desired.scopes ?? base.scopes,
    displayNameMapping: desired.displayNameMapping ?? base.displayNameMapping,
    usernameMapping: desired.usernameMapping ?? base.usernameMapping,
  }
}
