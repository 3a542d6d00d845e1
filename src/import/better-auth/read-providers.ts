import type { OidcMappingField } from '../../domain/identity-provider/commands.js'
import { addProvider } from '../drafting/add-provider.js'
import { documentOf, type Found, fieldIn, isRecord, recordsIn } from '../reading/document.js'
import type { Warn } from '../warning.js'
import type { OrganizationOf } from './organizations.js'

/** The OIDC providers of organizations; those of SAML, and of no organization, are left. */
export const readProviders = (rows: Found, organizationOf: OrganizationOf, warn: Warn): void => {
  for (const row of recordsIn(rows, warn)) {
    const config = configIn(row)
    if (!isRecord(config.value)) {
      warn('ProviderUnsupported', row.path)
      continue
    }
    const draft = organizationOf(row)
    if (!draft) continue
    const domain = fieldIn(row, 'domain')
    if (domain.value !== undefined && domain.value !== '') warn('DomainLeft', domain.path)
    const scopes = fieldIn(config, 'scopes')
    addProvider(
      draft,
      {
        id: fieldIn(row, 'providerId'),
        name: fieldIn(row, 'providerId'),
        clientId: fieldIn(config, 'clientId'),
        clientSecret: fieldIn(config, 'clientSecret'),
        issuer: fieldIn(row, 'issuer'),
        scopes: { value: scopes.value ?? DEFAULT_SCOPES, path: scopes.path },
        isActive: true,
        fields: mappingIn(fieldIn(config, 'mapping'), warn),
      },
      warn,
    )
  }
}

/** What better-auth asks for when no scopes are set. */
const DEFAULT_SCOPES = ['openid', 'email', 'profile', 'offline_access']

/** The configuration is text of JSON in the database. */
const configIn = (row: Found): Found => {
  const { value, path } = fieldIn(row, 'oidcConfig')
  return { value: documentOf(value).value, path }
}

const FIELDS = new Map<unknown, OidcMappingField>([
  ['name', 'OIDC_MAPPING_FIELD_UNSPECIFIED'],
  ['email', 'OIDC_MAPPING_FIELD_EMAIL'],
  ['preferred_username', 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'],
])

/** The claims that fields of better-auth's user usually come from. */
const USUAL: readonly (readonly [field: string, claim: string])[] = [
  ['id', 'sub'],
  ['email', 'email'],
  ['emailVerified', 'email_verified'],
  ['image', 'picture'],
]

const mappingIn = (mapping: Found, warn: Warn) => {
  for (const [field, claim] of USUAL) {
    const { value, path } = fieldIn(mapping, field)
    if (value !== undefined && value !== claim) warn('MappingLeft', path)
  }
  const extra = fieldIn(mapping, 'extraFields')
  if (isRecord(extra.value) && Object.keys(extra.value).length > 0) warn('MappingLeft', extra.path)
  const { value, path } = fieldIn(mapping, 'name')
  const displayNameMapping = FIELDS.get(value)
  if (value !== undefined && !displayNameMapping) warn('MappingLeft', path)
  return { ...(displayNameMapping && { displayNameMapping }) }
}
