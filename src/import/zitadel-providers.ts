import * as z from 'zod/mini'
import { OidcMappingField, StylingType } from '../domain/identity-provider/command-schemas.js'
import { addProvider } from './add-provider.js'
import { type Found, fieldIn, isTrueIn, recordsIn } from './document.js'
import type { Warn } from './imported.js'
import type { OrganizationDraft } from './organization-draft.js'

/** Reads the OIDC providers of an organization. Others are left out. */
export const readProviders = (organization: Found, draft: OrganizationDraft, warn: Warn): void => {
  for (const found of recordsIn(fieldIn(organization, 'oidcIdps'), warn)) {
    const idp = fieldIn(found, 'idp')
    const styling = fieldIn(idp, 'stylingType').value
    addProvider(
      draft,
      {
        id: fieldIn(found, 'idpId'),
        name: fieldIn(idp, 'name'),
        clientId: fieldIn(idp, 'clientId'),
        clientSecret: fieldIn(idp, 'clientSecret'),
        issuer: fieldIn(idp, 'issuer'),
        scopes: fieldIn(idp, 'scopes'),
        isActive: true,
        fields: {
          stylingType: z.validate(StylingType, styling) ? styling : 'STYLING_TYPE_UNSPECIFIED',
          autoRegister: isTrueIn(idp, 'autoRegister'),
          displayNameMapping: mappingIn(fieldIn(idp, 'displayNameMapping'), warn),
          usernameMapping: mappingIn(fieldIn(idp, 'usernameMapping'), warn),
        },
      },
      warn,
    )
  }
  for (const { path } of recordsIn(fieldIn(organization, 'jwtIdps'), warn))
    warn('ProviderUnsupported', path)
}

const mappingIn = ({ value, path }: Found, warn: Warn): OidcMappingField => {
  if (z.validate(OidcMappingField, value)) return value
  if (value !== undefined) warn('MappingLeft', path)
  return 'OIDC_MAPPING_FIELD_UNSPECIFIED'
}
