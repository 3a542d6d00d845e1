import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  plainList,
  sortableFlag,
  sortableText,
} from '../aggregate.js'
import type { Message } from '../message.js'
import { type IdentityProviderRef, IdpId, type SealedSecret, type StreamId } from '../values.js'
import { identityProvider } from './decider.js'
import {
  IdentityProviderEvent,
  type OidcConfigUpdated,
  type OidcIdentityProviderAdded,
} from './events.js'

/** The fields of an identity provider that reads return; never its secret. */
export interface IdentityProviderView
  extends Omit<OidcIdentityProviderAdded['data'], 'idpId' | 'clientSecret'> {
  readonly idpId: string
  readonly state: 'active' | 'inactive'
}

/** The identity provider after `event`, without its secret; undefined if it does not exist. */
export const identityProviderView = (
  view: IdentityProviderView | undefined,
  event: IdentityProviderEvent,
): IdentityProviderView | undefined => {
  switch (event.type) {
    case 'identity_provider.oidc_added':
      return added(event)
    case 'identity_provider.oidc_config_updated':
      return view && { ...view, ...configIn(event) }
    case 'identity_provider.updated':
      return view && { ...view, ...event.data }
    case 'identity_provider.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'identity_provider.reactivated':
      return view && { ...view, state: 'active' }
    case 'identity_provider.secret_resealed':
      return view
    case 'identity_provider.removed':
      return undefined
  }
}

/** Names each field, so that the order does not depend on the event. */
const added = ({ data }: OidcIdentityProviderAdded): IdentityProviderView => ({
  idpId: data.idpId,
  name: data.name,
  stylingType: data.stylingType,
  autoRegister: data.autoRegister,
  clientId: data.clientId,
  issuer: data.issuer,
  scopes: frozen(data.scopes),
  displayNameMapping: data.displayNameMapping,
  usernameMapping: data.usernameMapping,
  state: 'active',
})

const configIn = ({ data }: OidcConfigUpdated) => {
  const { clientSecret: _, ...shown } = data
  return { ...shown, scopes: frozen(shown.scopes) }
}

/** A copy that no reader can change; the list of the event may be shared. */
const frozen = (scopes: readonly string[]): readonly string[] => Object.freeze([...scopes])

/** External providers that users can log in with. */
export const identityProviders = defineAggregate({
  type: 'identity_provider',
  label: 'identity provider',
  ids: z.strictObject({ idpId: IdpId }),
  decider: identityProvider,
  events: IdentityProviderEvent.def.options,
  effects: {
    'identity_provider.oidc_added': 'adds',
    'identity_provider.oidc_config_updated': 'changes',
    'identity_provider.updated': 'changes',
    'identity_provider.deactivated': 'changes',
    'identity_provider.reactivated': 'changes',
    'identity_provider.removed': 'removes',
    'identity_provider.secret_resealed': 'changes',
  },
  view: identityProviderView,
  states: ['active', 'inactive'],
  fields: {
    idpId: filterableText((view) => view.idpId),
    name: filterableText((view) => view.name),
    stylingType: sortableText((view) => view.stylingType),
    clientId: filterableText((view) => view.clientId),
    issuer: filterableText((view) => view.issuer),
    scopes: plainList,
    displayNameMapping: sortableText((view) => view.displayNameMapping),
    usernameMapping: sortableText((view) => view.usernameMapping),
    autoRegister: sortableFlag((view) => view.autoRegister),
  },
  // Sealing a secret again does not change it.
  secretsChanged: (event) =>
    event.type !== 'identity_provider.secret_resealed' && sealedIn(event) !== undefined
      ? ['clientSecret']
      : [],
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  memberships: { membershipScope: ({ idpId }) => ({ idpId }) },
  permissions: { read: 'identity_provider.read', write: 'identity_provider.write' },
} satisfies AggregateDefinition<IdentityProviderRef, IdentityProviderView, IdentityProviderEvent>)

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

const sealedIn = (event: IdentityProviderEvent): SealedSecret | undefined => {
  switch (event.type) {
    case 'identity_provider.oidc_added':
    case 'identity_provider.oidc_config_updated':
    case 'identity_provider.secret_resealed':
      return event.data.clientSecret
    case 'identity_provider.updated':
    case 'identity_provider.deactivated':
    case 'identity_provider.reactivated':
    case 'identity_provider.removed':
      return undefined
  }
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
