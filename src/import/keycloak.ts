import { fieldOf } from '../domain/values.js'
import {
  documentsIn,
  type Found,
  fieldIn,
  idFor,
  isTrueIn,
  recordsIn,
  referredId,
  textIn,
  textsIn,
  warn,
  warnMalformed,
} from './document.js'
import { type Imported, openReport } from './imported.js'
import {
  type Groups,
  pathOfGroup,
  readGroupMappers,
  readMappers,
  readProviders,
} from './keycloak-providers.js'
import {
  budget,
  clientsIn,
  knownRolesIn,
  type RoleGraph,
  type RoleName,
  readRoles,
  roleNamesIn,
  rolesWith,
  type Spend,
  TooLarge,
  warnOfDefaults,
} from './keycloak-roles.js'
import {
  addUserRole,
  importedFrom,
  type OrganizationDraft,
  openOrganization,
} from './organization-draft.js'

/**
 * Reads an export of Keycloak: a realm, or a list of realms and of files with their users. Each is JSON text, its bytes
 * or its parsed value. A realm becomes an organization, each client with roles a project, and the roles of the realm the
 * project `realm`; OIDC providers and the roles of users are imported. Never throws: an export that is unreadable or
 * too large is one warning with an empty path.
 */
export const readKeycloakRealm = (source: unknown): Imported => {
  try {
    return readRealms(source, budget())
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    const { warnings, report } = openReport()
    report('TooLarge', '')
    return { organizations: [], warnings }
  }
}

const readRealms = (source: unknown, spend: Spend): Imported => {
  const { warnings, report } = openReport()
  const drafts = new Map<string, OrganizationDraft>()
  const documents = [...documentsIn({ value: source, path: '', report })]
  const ofUsers = documents.filter(isOfUsers)
  const realms = documents.filter((document) => !isOfUsers(document))
  const names = new Set(realms.map((found) => textIn(found, 'realm')))
  for (const found of documents) {
    const realm = textIn(found, 'realm')
    const name = fieldIn(found, 'realm')
    if (isOfAdapter(found)) warn(found, 'AdapterFile')
    else if (realm === undefined && isPart(found)) warn(found, 'RealmMissing')
    else if (realm === undefined) {
      // A client exports its rules alone, too.
      if (!warnOfRules(found)) warnMalformed(found)
    } else if (isOfUsers(found)) {
      if (!names.has(realm)) warn(found, 'RealmMissing')
    } else if (drafts.has(referredId(realm))) warn(name, 'Doubled')
    else {
      const draft = openOrganization(idFor(realm, name))
      drafts.set(draft.orgId, draft)
      readRealm(found, {
        draft,
        spend,
        files: ofUsers.filter((file) => textIn(file, 'realm') === realm),
      })
    }
  }
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'keycloak')),
    warnings,
  }
}

/** Fields of a file that has users alone, as `--users different_files` writes them beside the realm. */
const OF_USERS = ['realm', 'users', 'federatedUsers']

const isOfUsers = ({ value }: Found): boolean => {
  const fields = Object.keys(Object(value))
  return fields.length > 1 && fields.every((field) => OF_USERS.includes(field))
}

/** Whether it is the configuration of an adapter, of one client, or what a realm says of itself. */
const isOfAdapter = (found: Found): boolean =>
  ['auth-server-url', 'auth-server-uri', 'realm-public-key', 'public_key'].some(
    (name) => fieldIn(found, name).value !== undefined,
  ) ||
  (textIn(found, 'realm') === undefined && textIn(found, 'clientId') !== undefined)

/** Whether it has something of a realm, such as a file for a partial import. */
const isPart = (found: Found): boolean =>
  ['users', 'roles', 'groups', 'clients', 'identityProviders', 'ifResourceExists'].some(
    (name) => fieldIn(found, name).value !== undefined,
  )

/** A realm while it is read, with the files that have more of its users. */
interface OpenRealm extends Pick<Realm, 'draft' | 'spend'> {
  readonly files: readonly Found[]
}

const readRealm = (found: Found, { draft, spend, files }: OpenRealm): void => {
  const roles = readRoles(found, draft)
  const realm = {
    draft,
    roles,
    groups: readGroups(found, { roles, spend }),
    spend,
    isUsable: usableIn(found),
    users: new Set<string>(),
  }
  const mappers = readMappers(found)
  readProviders(found, draft, mappers.ofUsernames)
  readGroupMappers(mappers.ofGroups, realm)
  const holders = [found, ...files]
  if (!isTrueIn(found, 'enabled') && hasMembers(holders))
    warn(fieldIn(found, 'enabled'), 'RealmDisabled')
  if (draft.projects.size > 0 && holders.every(isWithoutUsers))
    warn(fieldIn(found, 'users'), 'UsersMissing')
  for (const holder of holders) readUsers(holder, realm)
  warnOfDefaults(found, roles)
  for (const client of recordsIn(fieldIn(found, 'clients')))
    warnOfRules(fieldIn(client, 'authorizationSettings'))
  for (const holder of holders)
    for (const list of [
      fieldIn(holder, 'organizations'),
      fieldIn(holder, 'federatedUsers'),
      fieldIn(fieldIn(holder, 'components'), 'org.keycloak.storage.UserStorageProvider'),
    ])
      if (hasItems(list)) warn(list, 'NotKept')
}

const hasItems = ({ value }: Found): boolean => Array.isArray(value) && value.length > 0

const hasMembers = (holders: readonly Found[]): boolean =>
  holders.some((holder) =>
    ['users', 'identityProviders'].some((name) => hasItems(fieldIn(holder, name))),
  )

/** Whether a file has no users, or service accounts alone, which a partial export writes. */
const isWithoutUsers = (holder: Found): boolean => {
  const { value } = fieldIn(holder, 'users')
  return Array.isArray(value)
    ? value.length > 0 &&
        value.every((user) => fieldOf(user, 'serviceAccountClientId') !== undefined)
    : value === undefined
}

/** Tells users who can sign in. In Keycloak nobody can who is not enabled, or whose realm or client is not. */
const usableIn = (realm: Found): Realm['isUsable'] => {
  if (!isTrueIn(realm, 'enabled')) return () => false
  const clients = clientsIn(realm)
  return (user) => {
    const client = clients.get(textIn(user, 'serviceAccountClientId') ?? '')
    const isUsable = isTrueIn(user, 'enabled') && fieldOf(client?.value, 'enabled') !== false
    if (!isUsable) warn(user, 'UserDisabled')
    return isUsable
  }
}

/** Warns of rules that say who may do what, if there are any, and returns whether there are. */
const warnOfRules = (rules: Found): boolean => {
  const has = ['resources', 'policies', 'scopes'].some((name) => hasItems(fieldIn(rules, name)))
  if (has) warn(rules, 'PermissionsLeft')
  return has
}

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
      const own = knownRolesIn(graph, roleNamesIn(group, 'realmRoles', ['clientRoles']))
      if (own.length > 0) warn(group, 'RolesExpanded')
      const path = pathOfGroup(
        textIn(group, 'path') ?? `${level.path}/${textIn(group, 'name') ?? ''}`,
      )
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
  /** Whether a user can sign in; warns if not. */
  readonly isUsable: (user: Found) => boolean
  /** The ids of the users so far, in all files. */
  readonly users: Set<string>
}

/** Reads the roles of enabled users, including roles from groups and roles included in other roles. */
const readUsers = (holder: Found, realm: Realm): void => {
  const { draft, roles, groups, spend, isUsable, users } = realm
  for (const user of recordsIn(fieldIn(holder, 'users'))) {
    const links = fieldIn(user, 'federatedIdentities')
    if (hasItems(links)) warn(links, 'LinksLeft')
    const id = textIn(user, 'id')
    const userId = id ?? textIn(user, 'username')
    if (userId !== undefined && users.has(userId)) {
      warn(user, 'Doubled')
      continue
    }
    if (userId !== undefined) users.add(userId)
    if (!isUsable(user)) continue
    const names = knownRolesIn(
      roles,
      roleNamesIn(user, 'realmRoles', ['clientRoles', 'applicationRoles']),
    )
    const ofGroups = rolesOfGroups(user, { groups, spend })
    const held = rolesWith(roles, [...names, ...ofGroups], spend)
    if (held.length === 0) continue
    if (id === undefined) warn(user, 'UserNamed')
    for (const role of held) addUserRole(draft, user, { userId, ...role })
  }
}

const rolesOfGroups = (
  user: Found,
  { groups, spend }: Pick<Realm, 'groups' | 'spend'>,
): readonly string[] =>
  [...textsIn(fieldIn(user, 'groups'))].flatMap((path) => {
    const roles = groups.get(pathOfGroup(path.value))
    if (!roles) warn(path, 'GroupUnknown')
    else spend(roles.length)
    return roles ?? []
  })
