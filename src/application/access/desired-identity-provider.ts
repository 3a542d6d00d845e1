import * as z from 'zod/mini'
import {
  AddOidcIdentityProvider,
  type OidcMappingField,
  type StylingType,
} from '../../domain/identity-provider/commands.js'
import { IdpId, MAX_SCOPES, requiredText } from '../../domain/values.js'
import { bounds } from './json-schema-bounds.js'

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
  /** May be empty until the OIDC configuration of a provider that there is would change. */
  readonly issuer: string
  readonly scopes?: readonly string[] | undefined
  readonly displayNameMapping?: OidcMappingField | undefined
  readonly usernameMapping?: OidcMappingField | undefined
}

const idp = AddOidcIdentityProvider.shape.data.shape

/** Schema of a {@link DesiredIdentityProvider}. */
export const DesiredIdentityProvider = z.strictObject({
  idpId: IdpId,
  name: z.optional(idp.name),
  stylingType: z.optional(idp.stylingType.def.innerType),
  autoRegister: z.optional(idp.autoRegister.def.innerType),
  clientId: idp.clientId,
  clientSecret: z.optional(requiredText),
  issuer: idp.issuer,
  scopes: z.optional(idp.scopes.def.innerType.register(bounds, { maxItems: MAX_SCOPES })),
  displayNameMapping: z.optional(idp.displayNameMapping.def.innerType),
  usernameMapping: z.optional(idp.usernameMapping.def.innerType),
})
export type ParsedProvider = z.output<typeof DesiredIdentityProvider>
