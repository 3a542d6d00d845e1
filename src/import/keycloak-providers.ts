import type { OidcMappingField } from '../domain/identity-provider/command-schemas.js'
import type { AdmissionRule } from '../domain/identity-provider/sign-in-settings.js'
import { fieldOf, isRequiredText } from '../domain/values.js'
import { addProvider } from './add-provider.js'
import {
  type Found,
  fieldIn,
  isTrueIn,
  parsed,
  recordsIn,
  referredId,
  textIn,
  warn,
} from './document.js'
import {
  type RoleGraph,
  type RoleName,
  roleNamed,
  rolesWith,
  type Spend,
} from './keycloak-roles.js'
import { addMappedRole, type OrganizationDraft } from './organization-draft.js'

const GOOGLE = 'https://accounts.google.com'

/** Reads the OIDC providers of a realm, and Google. Others are left out. */
export const readProviders = (
  realm: Found,
  draft: OrganizationDraft,
  usernameMappings: Mappers['ofUsernames'],
): void => {
  const isRealmEnabled = isTrueIn(realm, 'enabled')
  for (const found of recordsIn(fieldIn(realm, 'identityProviders'))) {
    const kind = textIn(found, 'providerId') ?? ''
    const isGoogle = kind === 'google'
    if (!isGoogle && kind !== 'oidc' && kind !== 'keycloak-oidc') {
      warn(found, 'ProviderUnsupported')
      continue
    }
    const config = fieldIn(found, 'config')
    const id = fieldIn(found, 'alias')
    const usernameMapping = usernameMappings.get(id.value)
    const issuer = isGoogle
      ? { first: { ...found, value: GOOGLE }, isOnly: true }
      : issuerIn(config)
    const rules = admissionRules(found, config, isGoogle)
    for (const [field, rule] of rules) warn(field, rule ? 'AdmissionKept' : 'AdmissionLeft')
    const admit = rules.flatMap(([, rule]) => rule ?? [])
    const { value: isEnabled = true } = fieldIn(found, 'enabled')
    addProvider(draft, {
      id,
      name: fieldIn(found, textIn(found, 'displayName') ? 'displayName' : 'alias'),
      clientId: fieldIn(config, 'clientId'),
      clientSecret: fieldIn(config, 'clientSecret'),
      issuer: issuer.first,
      scopes: scopesIn(config, isGoogle),
      isActive:
        isRealmEnabled && isEnabled === true && issuer.isOnly && admit.length === rules.length,
      fields: {
        ...(isGoogle && { stylingType: 'STYLING_TYPE_GOOGLE' }),
        autoRegister: registers(found, realm),
        ...(usernameMapping && { usernameMapping }),
        ...(admit.length > 0 && { signIn: { admit } }),
      },
    })
  }
}

/** The scopes as a list; without any, the default of Keycloak. */
const scopesIn = (config: Found, isGoogle: boolean): Found => {
  const text = textIn(config, 'defaultScope') ?? (isGoogle ? 'openid profile email' : 'openid')
  const scopes = text.split(' ').filter((scope) => scope !== '')
  return { ...fieldIn(config, 'defaultScope'), value: scopes }
}

/** The first of several issuers, which Keycloak separates by commas. Without any, the field that leads to it. */
const issuerIn = (config: Found): { readonly first: Found; readonly isOnly: boolean } => {
  const issuer = fieldIn(config, 'issuer')
  const [first = '', ...others] = (textIn(config, 'issuer') ?? '').split(',').map((it) => it.trim())
  if (others.length > 0) warn(issuer, 'IssuersLeft')
  const metadata = fieldIn(config, 'metadataDescriptorUrl')
  const isMissing = first === '' && metadata.value !== undefined
  return {
    first: { ...(isMissing ? metadata : issuer), value: first },
    isOnly: others.length === 0,
  }
}

/**
 * The rules of a provider about who may sign in: a domain of Google, the value of a claim, a flow after the sign-in.
 * Each with the rule that says the same here: one domain, or a claim with one value. Keycloak reads `*` as any domain, and
 * a value as a pattern.
 */
const admissionRules = (
  provider: Found,
  config: Found,
  isGoogle: boolean,
): readonly (readonly [Found, AdmissionRule | undefined])[] => {
  const domain = fieldIn(config, 'hostedDomain')
  const filter = fieldIn(config, 'filteredByClaim')
  const flow = fieldIn(provider, 'postBrokerLoginFlowAlias')
  const name = textIn(config, 'claimFilterName') ?? ''
  const value = textIn(config, 'claimFilterValue') ?? ''
  const rules: readonly (readonly [Found, AdmissionRule | undefined])[] = [
    [domain, isGoogle ? exactly('hd', String(domain.value)) : undefined],
    [filter, CLAIM_NAME.test(name) ? exactly(name, value) : undefined],
    [flow, undefined],
  ]
  return rules.filter(([{ value: on }]) => on !== undefined && on !== '' && String(on) !== 'false')
}

/** Names that are not a path by their dots. */
const CLAIM_NAME = /^([^.]{1,200}|https?:.{1,190})$/

/** The rule that a claim has this value; undefined if it may be a pattern or a list, except for the dots of a domain. */
const exactly = (claim: string, value: string): AdmissionRule | undefined =>
  /^[\w@:/ .-]{1,200}$/.test(value) ? { claim, values: [value] } : undefined

const FIRST_LOGIN = 'first broker login'

/** Whether unknown users are registered, which is the default of Keycloak. */
const registers = (provider: Found, realm: Found): boolean => {
  if (isTrueIn(provider, 'linkOnly')) return false
  const flow = fieldIn(provider, 'firstBrokerLoginFlowAlias')
  const ofRealm = fieldIn(realm, 'firstBrokerLoginFlow')
  const used = [flow, ofRealm].find(({ value }) => value !== undefined && value !== '')
  if ((used?.value ?? FIRST_LOGIN) === FIRST_LOGIN && creates(realm)) return true
  warn(used ?? flow, 'RegistrationOff')
  return false
}

/** Whether the usual flow still creates users: an administrator can disable this step. */
const creates = (realm: Found): boolean => {
  for (const flow of recordsIn(fieldIn(realm, 'authenticationFlows')))
    for (const step of recordsIn(fieldIn(flow, 'authenticationExecutions')))
      if (
        fieldIn(flow, 'builtIn').value === true &&
        textIn(step, 'authenticator') === 'idp-create-user-if-unique' &&
        textIn(step, 'requirement') === 'DISABLED'
      )
        return false
  return true
}

/** The claims that user names can be mapped from. */
const CLAIMS = new Map<unknown, OidcMappingField>([
  ['preferred_username', 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'],
  ['email', 'OIDC_MAPPING_FIELD_EMAIL'],
])

/** The mappers of the providers of a realm. */
interface Mappers {
  /** The claim of user names, by the alias of the provider. */
  readonly ofUsernames: ReadonlyMap<unknown, OidcMappingField>
  /** Those that give roles by a claim. */
  readonly ofGroups: readonly Found[]
}

export const readMappers = (realm: Found): Mappers => {
  const ofUsernames = new Map<unknown, OidcMappingField>()
  const ofGroups: Found[] = []
  for (const mapper of recordsIn(fieldIn(realm, 'identityProviderMappers'))) {
    const kind = textIn(mapper, 'identityProviderMapper') ?? ''
    if (GROUP_MAPPERS.includes(kind)) {
      ofGroups.push(mapper)
      continue
    }
    const isOfName = kind === 'oidc-username-idp-mapper'
    const template = textIn(fieldIn(mapper, 'config'), 'template') ?? ''
    const mapping = CLAIMS.get(/^\$\{CLAIM\.(.*)\}$/.exec(template)?.[1])
    const alias = fieldIn(mapper, 'identityProviderAlias').value
    if (isOfName && mapping) ofUsernames.set(alias, mapping)
    else warn(mapper, 'MappingLeft')
  }
  return { ofUsernames, ofGroups }
}

const CLAIM_TO_ROLE = 'oidc-role-idp-mapper'
const CLAIMS_TO_ROLE = 'oidc-advanced-role-idp-mapper'
const CLAIMS_TO_GROUP = 'oidc-advanced-group-idp-mapper'

const GROUP_MAPPERS = [CLAIM_TO_ROLE, CLAIMS_TO_ROLE, CLAIMS_TO_GROUP]

/** The claim with the groups of a user, as `claviger/oidc` reads it in the guides. */
const GROUPS_CLAIM = 'groups'

/** What mappers refer to. */
interface MappedTo {
  readonly draft: OrganizationDraft
  readonly roles: RoleGraph
  readonly groups: Groups
  readonly spend: Spend
}

/** Reads the mappers that give roles, or a group with roles, by one value of the claim `groups`. */
export const readGroupMappers = (
  mappers: readonly Found[],
  { draft, roles, groups, spend }: MappedTo,
): void => {
  for (const mapper of mappers) {
    const kind = textIn(mapper, 'identityProviderMapper')
    const config = fieldIn(mapper, 'config')
    const idpId = referredId(textIn(mapper, 'identityProviderAlias') ?? '')
    const group = kind === CLAIM_TO_ROLE ? valueOfClaim(config) : valueOfClaims(config)
    const names =
      kind === CLAIMS_TO_GROUP
        ? (groups.get(pathOfGroup(textIn(config, 'group') ?? '')) ?? [])
        : roleNamed(roles, textIn(config, 'role') ?? '')
    const mapped = rolesWith(roles, names, spend)
    if (!isRequiredText(group) || !draft.providers.has(idpId) || mapped.length === 0)
      warn(mapper, 'MappingLeft')
    else
      for (const { project, roleKey } of mapped)
        addMappedRole(project, mapper, { idpId, group, roleKey })
  }
}

/** The group that a mapper of one claim asks for; undefined when it asks for another claim. */
const valueOfClaim = (config: Found): unknown =>
  textIn(config, 'claim') === GROUPS_CLAIM ? textIn(config, 'claim.value') : undefined

/** The group that a mapper of several claims asks for; undefined when it asks for more, or for a pattern. */
const valueOfClaims = (config: Found): unknown => {
  if (String(fieldIn(config, 'are.claim.values.regex').value) === 'true') return undefined
  const value = parsed(textIn(config, 'claims'))
  const [claim, ...others]: readonly unknown[] = Array.isArray(value) ? value : []
  const isOfGroups = others.length === 0 && fieldOf(claim, 'key') === GROUPS_CLAIM
  return isOfGroups ? fieldOf(claim, 'value') : undefined
}

/** Keycloak finds a group whether or not a slash is before and after its path. */
export const pathOfGroup = (path: string): string => `/${path.replace(/^\/|\/$/g, '')}`

/** The roles of the members of each group, by its path; with the roles of its parent groups. */
export type Groups = ReadonlyMap<string, readonly RoleName[]>
