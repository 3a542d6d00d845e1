import * as z from 'zod'
import {
  AddOidcIdentityProvider,
  type OidcMappingField,
  type StylingType,
} from '../../domain/identity-provider/commands.js'
import { IdpId, MAX_SCOPES, requiredText } from '../../domain/values.js'
import { FILLED } from './json-schema-bounds.js'

/** An OIDC identity provider as it is to be. Absent: as it is; its default when it is added. */
export interface DesiredIdentityProvider {
  readonly idpId: string
  /** Required when the provider is added. */
  readonly name?: string | undefined
  readonly stylingType?: StylingType | undefined
  readonly autoRegister?: boolean | undefined
  readonly clientId: string
  /** In plain text. Required when the provider is added. */
  readonly clientSecret?: string | undefined
  readonly issuer: string
  readonly scopes?: readonly string[] | undefined
  readonly displayNameMapping?: OidcMappingField | undefined
  readonly usernameMapping?: OidcMappingField | undefined
}

const idp = AddOidcIdentityProvider.shape.data.shape

/** Schema of a {@link DesiredIdentityProvider}. */
export const DesiredIdentityProvider = z.lazy(() =>
  z.strictObject({
    idpId: IdpId,
    name: idp.name.meta(FILLED).optional(),
    stylingType: idp.stylingType.unwrap().optional(),
    autoRegister: idp.autoRegister.unwrap().optional(),
    clientId: idp.clientId.meta(FILLED),
    clientSecret: requiredText.meta(FILLED).optional(),
    issuer: requiredText.meta(FILLED),
    scopes: idp.scopes.unwrap().meta({ maxItems: MAX_SCOPES }).optional(),
    displayNameMapping: idp.displayNameMapping.unwrap().optional(),
    usernameMapping: idp.usernameMapping.unwrap().optional(),
  }),
)
export type ParsedProvider = z.output<typeof DesiredIdentityProvider>
