import { err, ok, type Result } from 'neverthrow'
import type { AlreadyExists, NotFound } from '../decider.js'
import { type Decider, exists } from '../decider.js'
import { changesNothing, patched } from '../message.js'
import type { IdentityProviderRef } from '../values.js'
import type {
  AddOidcIdentityProvider,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  PatchIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from './commands.js'
import {
  IdentityProviderEvent,
  identityProviderUpcasters,
  type OidcIdentityProviderAdded,
} from './events.js'

/** The state of an identity provider, on which its commands are decided. */
export type IdentityProviderState =
  | { readonly status: 'absent' }
  | ({
      /** Whether the provider may be used. */
      readonly status: 'active' | 'inactive'
      /** The issuer when the stored secret was set; empty if there was none. */
      readonly secretIssuer: string
    } & OidcIdentityProviderAdded['data'])
  | { readonly status: 'removed' }

/** Errors of an identity provider's commands. */
export type IdentityProviderRefusal =
  | NotFound<IdentityProviderRef>
  | AlreadyExists<IdentityProviderRef>

type State = IdentityProviderState
type Decision = Result<readonly IdentityProviderEvent[], IdentityProviderRefusal>

const refuse = (
  kind: IdentityProviderRefusal['kind'],
  { idpId }: IdentityProviderCommand['data'],
): Decision => err({ kind, object: { type: 'identity_provider', idpId } })

const addOidc = ({ data }: AddOidcIdentityProvider, state: State): Decision => {
  if (state.status !== 'absent') return refuse('AlreadyExists', data)
  return ok([{ type: 'identity_provider.oidc_added', data }])
}

const updateOidcConfig = ({ data }: UpdateOidcConfig, state: State): Decision =>
  exists(state) ? ok(configUpdated(state, data)) : refuse('NotFound', data)

const configUpdated = (
  before: OidcIdentityProviderAdded['data'],
  data: UpdateOidcConfig['data'],
): readonly IdentityProviderEvent[] =>
  // Whether the given secret equals the stored one is unknown here: each encryption of a secret differs.
  data.clientSecret === undefined && changesNothing(before, data)
    ? []
    : [{ type: 'identity_provider.oidc_config_updated', data }]

/** Replaces the given fields; an update gives all fields outside the OIDC configuration. */
const update = (
  { data }: UpdateIdentityProvider | PatchIdentityProvider,
  state: State,
): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { clientSecret, ...fields }: PatchIdentityProvider['data'] = data
  const { status: _, clientSecret: stored, secretIssuer, ...before } = state
  const { idpId, name, stylingType, autoRegister, ...config } = patched(before, fields)
  const appearance = { idpId, name, stylingType, autoRegister }
  const appearanceUpdated: readonly IdentityProviderEvent[] = changesNothing(before, appearance)
    ? []
    : [{ type: 'identity_provider.updated', data: appearance }]
  const oidc = { idpId, ...config, ...(clientSecret !== undefined && { clientSecret }) }
  return ok([...appearanceUpdated, ...configUpdated(state, oidc)])
}

const deactivate = ({ data }: DeactivateIdentityProvider, state: State): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'inactive' ? [] : [{ type: 'identity_provider.deactivated', data }])
}

const reactivate = ({ data }: ReactivateIdentityProvider, state: State): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'active' ? [] : [{ type: 'identity_provider.reactivated', data }])
}

const remove = ({ data }: RemoveIdentityProvider, state: State): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'identity_provider.removed', data }])
}

const reseal = ({ data }: ResealClientSecret, state: State): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { idpId, replaces, clientSecret } = data
  // A secret that was set meanwhile must not be replaced by the old one.
  if (state.clientSecret !== replaces) return ok([])
  return ok([{ type: 'identity_provider.secret_resealed', data: { idpId, clientSecret } }])
}

/**
 * Whether the stored secret was given for an issuer of the same origin. A change of the issuer alone must not send
 * the secret elsewhere.
 */
export const isSecretFor = (
  issuer: string,
  { secretIssuer }: { readonly secretIssuer: string },
): boolean => originOf(issuer) === originOf(secretIssuer)

const originOf = (issuer: string): string =>
  URL.canParse(issuer) ? new URL(issuer).origin : issuer

const decide = (command: IdentityProviderCommand, state: State): Decision => {
  switch (command.type) {
    case 'AddOidcIdentityProvider':
      return addOidc(command, state)
    case 'UpdateOidcConfig':
      return updateOidcConfig(command, state)
    case 'UpdateIdentityProvider':
    case 'PatchIdentityProvider':
      return update(command, state)
    case 'DeactivateIdentityProvider':
      return deactivate(command, state)
    case 'ReactivateIdentityProvider':
      return reactivate(command, state)
    case 'RemoveIdentityProvider':
      return remove(command, state)
    case 'ResealClientSecret':
      return reseal(command, state)
  }
}

const evolve = (state: State, event: IdentityProviderEvent): State => {
  switch (event.type) {
    case 'identity_provider.oidc_added':
      return { status: 'active', ...event.data, secretIssuer: event.data.issuer }
    case 'identity_provider.oidc_config_updated': {
      if (!exists(state)) return state
      const { clientSecret, issuer } = event.data
      const secretIssuer = clientSecret === undefined ? state.secretIssuer : issuer
      return { ...state, ...event.data, secretIssuer }
    }
    case 'identity_provider.updated':
    case 'identity_provider.secret_resealed':
      return exists(state) ? { ...state, ...event.data } : state
    case 'identity_provider.deactivated':
      return exists(state) ? { ...state, status: 'inactive' } : state
    case 'identity_provider.reactivated':
      return exists(state) ? { ...state, status: 'active' } : state
    case 'identity_provider.removed':
      return { status: 'removed' }
  }
}

/** An external OIDC provider that users can log in with. */
export const identityProvider: Decider<
  IdentityProviderCommand,
  IdentityProviderState,
  IdentityProviderEvent,
  IdentityProviderRefusal
> = {
  eventSchema: IdentityProviderEvent,
  upcasters: identityProviderUpcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}
