import type { OidcMappingField } from '../domain/identity-provider/command-schemas.js'
import { fieldOf, isRequiredText } from '../domain/values.js'
import { addProvider } from './add-provider.js'
import {
  type Found,
  fieldIn,
  idFor,
  isRecord,
  isTrueIn,
  parsed,
  recordsIn,
  referredId,
  textIn,
  textsIn,
  warn,
} from './document.js'
import { type Imported, openReport } from './imported.js'
import {
  budget,
  knownRolesIn,
  type RoleGraph,
  type RoleName,
  readRoles,
  roleNamed,
  roleNamesIn,
  rolesWith,
  type Spend,
  TooLarge,
} from './keycloak-roles.js'
import {
  addMappedRole,
  addUserRole,
  importedFrom,
  type OrganizationDraft,
  openOrganization,
} from './organization-draft.js'

/**
 * Reads an export of Keycloak, a realm or a list of realms: JSON text, or its parsed value. A realm becomes an
 * organization, each client with roles a project, and the roles of the realm the project `realm`; OIDC providers and
 * the roles of users are imported. Never throws: an export that is unreadable or too large is one warning with an empty
 * path.
 */
export const readKeycloakRealm = (json: unknown): Imported => {
  try {
    return readRealms(json, budget())
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    const { warnings, report } = openReport()
    report('TooLarge', '')
    return { organizations: [], warnings }
  }
}

const readRealms = (json: unknown, spend: Spend): Imported => {
  const { warnings, report } = openReport()
  const drafts = new Map<string, OrganizationDraft>()
  for (const found of realmsIn({ value: parsed(json), path: '', report })) {
    const realm = textIn(found, 'realm')
    const name = fieldIn(found, 'realm')
    if (realm === undefined) warn(found, 'Malformed')
    else if (drafts.has(referredId(realm))) warn(name, 'Doubled')
    else {
      const draft = openOrganization(idFor(realm, name))
      drafts.set(draft.orgId, draft)
      readRealm(found, { draft, spend })
    }
  }
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'keycloak')),
    warnings,
  }
}

const realmsIn = (document: Found): Iterable<Found> => {
  if (Array.isArray(document.value)) return recordsIn(document)
  if (isRecord(document.value)) return [document]
  warn(document, 'Malformed')
  return []
}

const readRealm = (found: Found, { draft, spend }: Pick<Realm, 'draft' | 'spend'>): void => {
  const roles = readRoles(found, draft)
  const realm = { draft, roles, groups: readGroups(found, { roles, spend }), spend }
  const mappers = readMappers(found)
  readProviders(found, draft, mappers.ofUsernames)
  readGroupMappers(mappers.ofGroups, realm)
  readUsers(found, realm)
  for (const list of [
    fieldIn(found, 'organizations'),
    fieldIn(found, 'federatedUsers'),
    fieldIn(fieldIn(found, 'components'), 'org.keycloak.storage.UserStorageProvider'),
  ])
    if (Array.isArray(list.value) && list.value.length > 0) warn(list, 'NotKept')
}

const GOOGLE = 'https://accounts.google.com'

/** Reads the OIDC providers of a realm, and Google. Others are left out. */
const readProviders = (
  realm: Found,
  draft: OrganizationDraft,
  usernameMappings: Mappers['ofUsernames'],
): void => {
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
    addProvider(draft, {
      id,
      name: fieldIn(found, textIn(found, 'displayName') ? 'displayName' : 'alias'),
      clientId: fieldIn(config, 'clientId'),
      clientSecret: fieldIn(config, 'clientSecret'),
      issuer: isGoogle ? { ...found, value: GOOGLE } : fieldIn(config, 'issuer'),
      scopes: scopesIn(config, isGoogle),
      isActive: fieldIn(found, 'enabled').value !== false,
      fields: {
        ...(isGoogle && { stylingType: 'STYLING_TYPE_GOOGLE' }),
        autoRegister: registers(found),
        ...(usernameMapping && { usernameMapping }),
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

/** Whether unknown users are registered, which is the default of Keycloak. */
const registers = (provider: Found): boolean => {
  if (isTrueIn(provider, 'linkOnly')) return false
  const flow = textIn(provider, 'firstBrokerLoginFlowAlias') ?? 'first broker login'
  if (flow === 'first broker login') return true
  warn(fieldIn(provider, 'firstBrokerLoginFlowAlias'), 'RegistrationOff')
  return false
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

const readMappers = (realm: Found): Mappers => {
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

/** Reads the mappers that give roles, or a group with roles, by one value of the claim `groups`. */
const readGroupMappers = (
  mappers: readonly Found[],
  { draft, roles, groups, spend }: Realm,
): void => {
  for (const mapper of mappers) {
    const kind = textIn(mapper, 'identityProviderMapper')
    const config = fieldIn(mapper, 'config')
    const idpId = referredId(textIn(mapper, 'identityProviderAlias') ?? '')
    const group = kind === CLAIM_TO_ROLE ? valueOfClaim(config) : valueOfClaims(config)
    const names =
      kind === CLAIMS_TO_GROUP
        ? (groups.get(textIn(config, 'group') ?? '') ?? [])
        : roleNamed(roles, textIn(config, 'role') ?? '')
    const given = rolesWith(roles, names, spend)
    if (!isRequiredText(group) || !draft.providers.has(idpId) || given.length === 0)
      warn(mapper, 'MappingLeft')
    else
      for (const { project, roleKey } of given)
        addMappedRole(project, mapper, { idpId, group, roleKey })
  }
}

/** The group that a mapper of one claim asks for; undefined when it asks for another claim. */
const valueOfClaim = (config: Found): unknown =>
  textIn(config, 'claim') === GROUPS_CLAIM ? textIn(config, 'claim.value') : undefined

/** The group that a mapper of several claims asks for; undefined when it asks for more, or for a pattern. */
const valueOfClaims = (config: Found): unknown => {
  if (textIn(config, 'are.claim.values.regex') === 'true') return undefined
  const value = parsed(textIn(config, 'claims'))
  const [claim, ...others]: readonly unknown[] = Array.isArray(value) ? value : []
  const isOfGroups = others.length === 0 && fieldOf(claim, 'key') === GROUPS_CLAIM
  return isOfGroups ? fieldOf(claim, 'value') : undefined
}

/** The roles of the members of each group, by its path; with the roles of its parent groups. */
type Groups = ReadonlyMap<string, readonly RoleName[]>

/** A list of groups, with path and roles of their parent group. */
interface Level {
  readonly list: Found
  readonly path: string
  readonly roles: readonly RoleName[]
  readonly depth: number
}

/** Deepest level of groups. */
const MAX_DEPTH = 100

/** Steps that a group counts for: it takes more memory than a role of a user. */
const GROUP_STEPS = 50

/** Reads the groups of a realm. */
const readGroups = (
  realm: Found,
  { roles: graph, spend }: Pick<Realm, 'roles' | 'spend'>,
): Groups => {
  const groups = new Map<string, readonly RoleName[]>()
  const levels: Level[] = [{ list: fieldIn(realm, 'groups'), path: '', roles: [], depth: 1 }]
  for (const level of levels)
    for (const group of recordsIn(level.list)) {
      if (level.depth > MAX_DEPTH) throw new TooLarge()
      spend(GROUP_STEPS + level.roles.length)
      const own = knownRolesIn(graph, roleNamesIn(group, ['realmRoles', 'clientRoles']))
      if (own.length > 0) warn(group, 'RolesExpanded')
      const path = textIn(group, 'path') ?? `${level.path}/${textIn(group, 'name') ?? ''}`
      const roles = own.length > 0 ? [...level.roles, ...own] : level.roles
      groups.set(path, roles)
      levels.push({ list: fieldIn(group, 'subGroups'), path, roles, depth: level.depth + 1 })
    }
  return groups
}

/** The parts of a realm that its users refer to. */
interface Realm {
  readonly draft: OrganizationDraft
  readonly roles: RoleGraph
  readonly groups: Groups
  readonly spend: Spend
}

/** Reads the roles of users, including roles from groups and roles included in other roles. */
const readUsers = (realm: Found, { draft, roles, groups, spend }: Realm): void => {
  for (const user of recordsIn(fieldIn(realm, 'users'))) {
    if (fieldIn(user, 'enabled').value === false) {
      warn(user, 'UserDisabled')
      continue
    }
    const names = knownRolesIn(roles, roleNamesIn(user, ['realmRoles', 'clientRoles']))
    const ofGroups = rolesOfGroups(user, { groups, spend })
    const held = rolesWith(roles, [...names, ...ofGroups], spend)
    if (held.length === 0) continue
    const id = textIn(user, 'id')
    if (id === undefined) warn(user, 'UserNamed')
    const userId = id ?? textIn(user, 'username')
    for (const role of held) addUserRole(draft, user, { userId, ...role })
  }
}

const rolesOfGroups = (
  user: Found,
  { groups, spend }: Pick<Realm, 'groups' | 'spend'>,
): readonly string[] =>
  [...textsIn(fieldIn(user, 'groups'))].flatMap((path) => {
    const roles = groups.get(path.value)
    if (!roles) warn(path, 'GroupUnknown')
    else spend(roles.length)
    return roles ?? []
  })
