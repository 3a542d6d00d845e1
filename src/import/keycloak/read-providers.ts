import type { OidcMappingField } from '../../domain/identity-provider/commands.js'
import { addProvider } from '../drafting/add-provider.js'
import type { OrganizationDraft } from '../drafting/organization-draft.js'
import { type Found, fieldIn, isTrueIn, recordsIn, textIn } from '../reading/document.js'
import type { Warn } from '../warning.js'

const GOOGLE = 'https://accounts.google.com'

/** The OIDC providers of a realm, and Google; those of other kinds are left. */
export const readProviders = (realm: Found, draft: OrganizationDraft, warn: Warn): void => {
  const mappings = usernameMappings(realm, warn)
  for (const found of recordsIn(fieldIn(realm, 'identityProviders'), warn)) {
    const kind = textIn(found, 'providerId') ?? ''
    const isGoogle = kind === 'google'
    if (!isGoogle && kind !== 'oidc' && kind !== 'keycloak-oidc') {
      warn('ProviderUnsupported', found.path)
      continue
    }
    const config = fieldIn(found, 'config')
    const id = fieldIn(found, 'alias')
    const usernameMapping = mappings.get(id.value)
    addProvider(
      draft,
      {
        id,
        name: fieldIn(found, textIn(found, 'displayName') ? 'displayName' : 'alias'),
        clientId: fieldIn(config, 'clientId'),
        clientSecret: fieldIn(config, 'clientSecret'),
        issuer: isGoogle ? { value: GOOGLE, path: found.path } : fieldIn(config, 'issuer'),
        scopes: scopesIn(config, isGoogle),
        isActive: fieldIn(found, 'enabled').value !== false,
        fields: {
          ...(isGoogle && { stylingType: 'STYLING_TYPE_GOOGLE' }),
          autoRegister: registers(found, warn),
          ...(usernameMapping && { usernameMapping }),
        },
      },
      warn,
    )
  }
}

/** Scopes as a list; those that Keycloak asks for when none are set. */
const scopesIn = (config: Found, isGoogle: boolean): Found => {
  const text = textIn(config, 'defaultScope') ?? (isGoogle ? 'openid profile email' : 'openid')
  const scopes = text.split(' ').filter((scope) => scope !== '')
  return { value: scopes, path: fieldIn(config, 'defaultScope').path }
}

/** Whether unknown users are registered, which Keycloak does unless it is told otherwise. */
const registers = (provider: Found, warn: Warn): boolean => {
  if (isTrueIn(provider, 'linkOnly')) return false
  const flow = textIn(provider, 'firstBrokerLoginFlowAlias') ?? 'first broker login'
  if (flow === 'first broker login') return true
  warn('RegistrationOff', fieldIn(provider, 'firstBrokerLoginFlowAlias').path)
  return false
}

/** What names of users may be mapped from; a template may be more than one claim. */
const CLAIMS = new Map<unknown, OidcMappingField>([
  ['preferred_username', 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'],
  ['email', 'OIDC_MAPPING_FIELD_EMAIL'],
])

/** By the alias of the provider, what the name of a user is mapped from. */
const usernameMappings = (realm: Found, warn: Warn): ReadonlyMap<unknown, OidcMappingField> => {
  const mappings = new Map<unknown, OidcMappingField>()
  for (const mapper of recordsIn(fieldIn(realm, 'identityProviderMappers'), warn)) {
    const isOfName = textIn(mapper, 'identityProviderMapper') === 'oidc-username-idp-mapper'
    const template = textIn(fieldIn(mapper, 'config'), 'template') ?? ''
    const mapping = CLAIMS.get(/^\$\{CLAIM\.(.*)\}$/.exec(template)?.[1])
    if (isOfName && mapping) mappings.set(fieldIn(mapper, 'identityProviderAlias').value, mapping)
    else warn('MappingLeft', mapper.path)
  }
  return mappings
}
