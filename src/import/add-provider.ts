import * as z from 'zod/mini'
import { PatchIdentityProvider } from '../domain/identity-provider/command-schemas.js'
import { isRequiredText, MAX_SCOPES } from '../domain/values.js'
import type { DesiredIdentityProvider } from '../index.js'
import { type Found, idFor, itemsIn, nameIn, referredId, warn } from './document.js'
import type { OrganizationDraft } from './organization-draft.js'

/** An OIDC identity provider of an export. */
interface FoundProvider {
  readonly id: Found
  /** The id is used when it is absent. */
  readonly name: Found
  readonly clientId: Found
  readonly clientSecret: Found
  readonly issuer: Found
  readonly scopes: Found
  readonly isActive: boolean
  /** The fields that the source has; other fields stay as they are set here. */
  readonly fields: Pick<
    DesiredIdentityProvider,
    'stylingType' | 'autoRegister' | 'displayNameMapping' | 'usernameMapping' | 'signIn'
  >
}

/** Adds a provider; inactive if it has no usable secret. */
export const addProvider = ({ providers }: OrganizationDraft, found: FoundProvider): void => {
  const { id, clientId, issuer } = found
  if (!isRequiredText(id.value)) warn(id, 'KeyUnusable')
  else if (providers.has(referredId(id.value))) warn(id, 'Doubled')
  else if (!isUsable(clientId.value)) warn(clientId, 'ProviderIncomplete')
  else if (!isUsable(issuer.value)) warn(issuer, 'ProviderIncomplete', NO_ISSUER)
  else {
    const idpId = idFor(id.value, id)
    const named = {
      idpId,
      name: nameIn({ ...found.name, value: found.name.value ?? id.value }, id.value),
      issuer: issuer.value,
      clientId: clientId.value,
    }
    providers.set(idpId, { ...named, ...found.fields, ...restOf(found) })
  }
}

const NO_ISSUER =
  'The issuer is missing, a placeholder, longer than 200 characters or has characters that cannot be kept: add the provider with the issuer that its discovery document names'

/** A placeholder: `${env.ISSUER}`, or `$(env:ISSUER)` of keycloak-config-cli. */
const PLACEHOLDER = /\$(\{|\([\w.-]+[:)])/

const isUsable = (value: unknown): value is string =>
  isRequiredText(value) && !PLACEHOLDER.test(value)

const restOf = ({ clientSecret, scopes, isActive }: FoundProvider) => {
  const secret = secretIn(clientSecret)
  if (secret === undefined) warn(clientSecret, 'SecretMissing')
  return {
    ...(secret !== undefined && { clientSecret: secret }),
    ...((secret === undefined || !isActive) && { initialState: 'inactive' as const }),
    scopes: scopesIn(scopes),
  }
}

/** The secret, unless there are asterisks or a reference in its place. */
const secretIn = ({ value }: Found): string | undefined =>
  isRequiredText(value) && !/^\*+$/.test(value) && value.search(PLACEHOLDER) !== 0
    ? value
    : undefined

const scopesIn = (found: Found): readonly string[] => {
  const scopes: string[] = []
  let isChanged = false
  for (const { value } of itemsIn(found))
    if (
      typeof value === 'string' &&
      z.validate(PatchIdentityProvider.shape.data.shape.scopes, [value]) &&
      scopes.length < MAX_SCOPES
    )
      scopes.push(value)
    else isChanged = true
  if (isChanged) warn(found, 'ScopesChanged')
  return scopes
}
