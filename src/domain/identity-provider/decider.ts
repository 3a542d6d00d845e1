import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { changesNothing, command, type Patch, patched } from '../message.js'
import {
  choice,
  flag,
  type IdentityProviderRef,
  IdpId,
  listOf,
  MAX_SCOPES,
  requiredText,
  SealedSecret,
  scope,
  text,
} from '../values.js'
import {
  type ClientSecretResealed,
  IdentityProviderEvent,
  type IdentityProviderUpdated,
  type OidcConfigUpdated,
  type OidcIdentityProviderAdded,
} from './events.js'

/** Styling of the login button, for providers that prescribe one. */
export const StylingType = choice(['STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE'])
export type StylingType = z.infer<typeof StylingType>

/** Which claim of the provider becomes a field of the user. */
export const OidcMappingField = choice([
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
])
export type OidcMappingField = z.infer<typeof OidcMappingField>

const id = { idpId: IdpId }

const appearanceSchemas = {
  name: requiredText,
  stylingType: z._default(StylingType, 'STYLING_TYPE_UNSPECIFIED'),
  autoRegister: flag,
}

const oidcSchemas = {
  clientId: requiredText,
  scopes: z.prefault(listOf(scope, 0, MAX_SCOPES), []),
  displayNameMapping: z._default(OidcMappingField, 'OIDC_MAPPING_FIELD_UNSPECIFIED'),
  usernameMapping: z._default(OidcMappingField, 'OIDC_MAPPING_FIELD_UNSPECIFIED'),
}

/**
 * Adds an OIDC identity provider.
 */
export const AddOidcIdentityProvider = command('AddOidcIdentityProvider', {
  ...id,
  ...appearanceSchemas,
  ...oidcSchemas,
  clientSecret: SealedSecret,
  issuer: text,
})
export interface AddOidcIdentityProvider extends z.infer<typeof AddOidcIdentityProvider> {
  /** The new provider. */
  readonly data: OidcIdentityProviderAdded['data']
}

/**
 * Replaces the OIDC configuration; an absent field gets its default.
 */
export const UpdateOidcConfig = command('UpdateOidcConfig', {
  ...id,
  ...oidcSchemas,
  clientSecret: z.exactOptional(SealedSecret),
  issuer: requiredText,
})
export interface UpdateOidcConfig extends z.infer<typeof UpdateOidcConfig> {
  /** The provider, and its new values. */
  readonly data: OidcConfigUpdated['data']
}

/** Replaces the fields outside the OIDC configuration: name, styling and registration of unknown users. */
export const UpdateIdentityProvider = command('UpdateIdentityProvider', {
  ...id,
  ...appearanceSchemas,
})
export interface UpdateIdentityProvider extends z.infer<typeof UpdateIdentityProvider> {
  /** The provider, and its new values. */
  readonly data: IdentityProviderUpdated['data']
}

/** Replaces the given fields, of the OIDC configuration or not, and keeps the others. */
export const PatchIdentityProvider = command('PatchIdentityProvider', {
  ...id,
  name: z.optional(requiredText),
  stylingType: z.optional(StylingType),
  autoRegister: z.optional(flag.def.innerType),
  clientId: z.optional(requiredText),
  clientSecret: z.optional(SealedSecret),
  issuer: z.optional(requiredText),
  scopes: z.optional(oidcSchemas.scopes.def.innerType),
  displayNameMapping: z.optional(OidcMappingField),
  usernameMapping: z.optional(OidcMappingField),
})
export interface PatchIdentityProvider extends z.infer<typeof PatchIdentityProvider> {
  /** The provider, and its new values; an undefined one counts as absent. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'> &
    Patch<OidcIdentityProviderAdded['data']>
}

/** Deactivates a provider: it cannot be used, but nothing is lost. */
export const DeactivateIdentityProvider = command('DeactivateIdentityProvider', id)
export interface DeactivateIdentityProvider extends z.infer<typeof DeactivateIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Reactivates a provider: it can be used again. */
export const ReactivateIdentityProvider = command('ReactivateIdentityProvider', id)
export interface ReactivateIdentityProvider extends z.infer<typeof ReactivateIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Removes a provider. Its id cannot be used again. */
export const RemoveIdentityProvider = command('RemoveIdentityProvider', id)
export interface RemoveIdentityProvider extends z.infer<typeof RemoveIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Stores a new encryption of the same secret, such as with the current key. */
export const ResealClientSecret = command('ResealClientSecret', {
  ...id,
  replaces: SealedSecret,
  clientSecret: SealedSecret,
})
export interface ResealClientSecret extends z.infer<typeof ResealClientSecret> {
  /** The seals, old and new. */
  readonly data: ClientSecretResealed['data'] & {
    /** The sealed secret that was read. If another one is stored by then, nothing changes. */
    readonly replaces: SealedSecret
  }
}

/** Any command of an identity provider. */
export const IdentityProviderCommand = z.discriminatedUnion('type', [
  AddOidcIdentityProvider,
  UpdateOidcConfig,
  UpdateIdentityProvider,
  PatchIdentityProvider,
  DeactivateIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
])
export type IdentityProviderCommand =
  | AddOidcIdentityProvider
  | UpdateOidcConfig
  | UpdateIdentityProvider
  | PatchIdentityProvider
  | DeactivateIdentityProvider
  | ReactivateIdentityProvider
  | RemoveIdentityProvider
  | ResealClientSecret

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Fields of a provider that may be absent. */
export interface ProviderFieldsInput {
  /**
   * Styling of the login button, for providers that prescribe one. Absent: `STYLING_TYPE_UNSPECIFIED` for a new
   * provider, else unchanged.
   */
  readonly stylingType?: StylingType | undefined
  /**
   * Whether an unknown user of the provider may be registered at login, see `mayAutoRegister`. Absent: false for a new
   * provider, else unchanged.
   */
  readonly autoRegister?: boolean | undefined
  /**
   * Scopes to request from the provider: at most 100, each of 1 to 200 printable ASCII characters without space, `"`
   * and `\`; see `authorizationScopes`. Absent: none for a new provider, else unchanged.
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Which claim becomes the user's display name, see `mapExternalUser`. Absent: `OIDC_MAPPING_FIELD_UNSPECIFIED` for a
   * new provider, else unchanged.
   */
  readonly displayNameMapping?: OidcMappingField | undefined
  /**
   * Which claim becomes the username, see `mapExternalUser`. Absent: `OIDC_MAPPING_FIELD_UNSPECIFIED` for a new
   * provider, else unchanged.
   */
  readonly usernameMapping?: OidcMappingField | undefined
}

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
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}
