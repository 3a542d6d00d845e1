import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  type Protectable,
  sortableFlag,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { changesNothing, type Message, patched, sameValue } from '../message.js'
import { type IdentityProviderRef, IdpId, type SealedSecret, type StreamId } from '../values.js'
import type {
  AddOidcIdentityProvider,
  ConfigureSignIn,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  OidcMappingField,
  PatchIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  StylingType,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from './command-schemas.js'
import { IdentityProviderEvent, type OidcIdentityProviderAdded } from './events.js'
import { type SignInSettings, signInSettings } from './sign-in-settings.js'

/** The state of an identity provider, on which its commands are decided. */
export type IdentityProviderState =
  | { readonly status: 'absent' }
  | ({
      /** Whether the provider may be used. */
      readonly status: 'active' | 'inactive'
      /** The issuer when the stored secret was set; empty if there was none. */
      readonly secretIssuer: string
      /** How users sign in; absent while all settings have their defaults. */
      readonly signIn?: SignInSettings | undefined
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

const configUpdated = (
  before: OidcIdentityProviderAdded['data'],
  data: UpdateOidcConfig['data'],
): readonly IdentityProviderEvent[] =>
  // Whether the given secret equals the stored one is unknown here: each encryption of a secret differs.
  data.clientSecret === undefined && changesNothing(before, data)
    ? []
    : [{ type: 'identity_provider.oidc_config_updated', data }]

/** Replaces the given fields; an update gives all fields of the OIDC configuration, or all outside of it. */
const update = (
  { data }: UpdateOidcConfig | UpdateIdentityProvider | PatchIdentityProvider,
  state: State,
): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { clientSecret, ...fields }: PatchIdentityProvider['data'] = data
  const { status: _, clientSecret: stored, secretIssuer, signIn, ...before } = state
  const { idpId, name, stylingType, autoRegister, ...config } = patched(before, fields)
  const appearance = { idpId, name, stylingType, autoRegister }
  const appearanceUpdated: readonly IdentityProviderEvent[] = changesNothing(before, appearance)
    ? []
    : [{ type: 'identity_provider.updated', data: appearance }]
  const oidc = { idpId, ...config, ...(clientSecret !== undefined && { clientSecret }) }
  return ok([...appearanceUpdated, ...configUpdated(state, oidc)])
}

const configureSignIn = ({ data }: ConfigureSignIn, state: State): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { idpId, ...fields } = data
  const settings = signInSettings(fields)
  if (sameValue(state.signIn, settings)) return ok([])
  return ok([{ type: 'identity_provider.sign_in_configured', data: { idpId, ...settings } }])
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

const decide = (command: IdentityProviderCommand, state: State): Decision => {
  switch (command.type) {
    case 'AddOidcIdentityProvider':
      return addOidc(command, state)
    case 'UpdateOidcConfig':
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
    case 'ConfigureSignIn':
      return configureSignIn(command, state)
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
    case 'identity_provider.sign_in_configured':
      return exists(state) ? { ...state, signIn: signInSettings(event.data) } : state
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
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Name, styling and registration of a provider. */
export interface ProviderAppearance {
  /**
   * 1 to 200 characters (code points); several providers may have the same.
   */
  readonly name: string
  /**
   * Styling of the login button, for providers that prescribe one.
   */
  readonly stylingType: StylingType
  /** Whether an unknown user of the provider may be registered at login, see `mayAutoRegister`. */
  readonly autoRegister: boolean
}

/** The OIDC configuration, except the secret. */
export interface OidcConfig {
  /**
   * Client id generated by the provider: 1 to 200 characters (code points).
   */
  readonly clientId: string
  /** The OIDC issuer of the provider: at most 200 characters (code points). It may be empty until the first update. */
  readonly issuer: string
  /**
   * Scopes to request from the provider: at most 100, each of 1 to 200 printable ASCII characters without space, `"`
   * and `\`; see `authorizationScopes`.
   */
  readonly scopes: readonly string[]
  /** Which claim becomes the user's display name, see `mapExternalUser`. */
  readonly displayNameMapping: OidcMappingField
  /** Which claim becomes the username, see `mapExternalUser`. */
  readonly usernameMapping: OidcMappingField
}

/** An identity provider as reads return it; never with its secret. */
export interface IdentityProvider extends ProviderAppearance, OidcConfig, Protectable {
  /** Unique within the organization. */
  readonly idpId: string
  /** How users sign in, as `configureSignIn` set it; absent while all settings have their defaults. */
  readonly signIn?: SignInSettings | undefined
  /** Users cannot log in with an inactive provider. */
  readonly state: 'active' | 'inactive'
}

/** The fields of {@link IdentityProvider} that its own events set. */
export type IdentityProviderView = ViewOf<IdentityProvider>

/** A copy that no reader can change; the list of the event may be shared. */
const frozen = (scopes: readonly string[]): readonly string[] => Object.freeze([...scopes])

/** External providers that users can log in with. */
export const identityProviders = defineAggregate({
  type: 'identity_provider',
  label: 'identity provider',
  ids: z.strictObject({ idpId: IdpId }),
  decider: identityProvider,
  events: IdentityProviderEvent.def.options,
  adds: 'identity_provider.oidc_added',
  removes: 'identity_provider.removed',
  show: (state): IdentityProviderView => ({
    idpId: state.idpId,
    name: state.name,
    stylingType: state.stylingType,
    autoRegister: state.autoRegister,
    clientId: state.clientId,
    issuer: state.issuer,
    scopes: frozen(state.scopes),
    displayNameMapping: state.displayNameMapping,
    usernameMapping: state.usernameMapping,
    ...(state.signIn && { signIn: state.signIn }),
    state: state.status,
  }),
  fact: ({ status }, { idpId }, orgId) => ({ in: 'provider', orgId, idpId, state: status }),
  secrets: ['clientSecret', 'secretIssuer'],
  states: ['active', 'inactive'],
  fields: {
    idpId: filterableText,
    name: filterableText,
    stylingType: sortableText,
    clientId: filterableText,
    issuer: filterableText,
    scopes: { holds: 'list' },
    displayNameMapping: sortableText,
    usernameMapping: sortableText,
    autoRegister: sortableFlag,
    signIn: { holds: 'settings', isOptional: true },
  },
  // Sealing a secret again does not change it.
  secretsChanged: (event) =>
    event.type !== 'identity_provider.secret_resealed' && sealedIn(event) !== undefined
      ? ['clientSecret']
      : [],
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  permissions: { read: 'identity_provider.read', write: 'identity_provider.write' },
} satisfies AggregateDefinition<
  IdentityProviderRef,
  IdentityProviderView,
  IdentityProviderEvent,
  IdentityProviderState
>)

/** One stream per identity provider. */
export const identityProviderStream = (orgId: string, idpId: string): StreamId =>
  identityProviders.stream(orgId, { idpId })

/** The sealed secret in an event, and its provider; undefined when the event has none. */
export const sealedSecretIn = (
  event: Message,
): { readonly idpId: IdpId; readonly clientSecret: SealedSecret } | undefined => {
  if (!identityProviders.reads(event)) return undefined
  const clientSecret = sealedIn(event)
  return clientSecret === undefined ? undefined : { idpId: event.data.idpId, clientSecret }
}

const sealedIn = ({ data }: IdentityProviderEvent): SealedSecret | undefined =>
  'clientSecret' in data ? data.clientSecret : undefined

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
