import {
  derivedId,
  entriesIn,
  type Found,
  type FoundText,
  fieldIn,
  isRecord,
  nameIn,
  recordsIn,
  textIn,
  textsIn,
  warn,
} from './document.js'
import {
  addProject,
  addRole,
  type OrganizationDraft,
  type ProjectDraft,
} from './organization-draft.js'

/** Id of the project that has the roles of the realm. */
const REALM_PROJECT = 'realm'

/** A role whose included roles are not resolved yet. */
interface FoundNode extends Pick<RoleNode, 'imported'> {
  readonly composites: Found
}

/** Reads the roles of a realm, and adds them to projects. */
export const readRoles = (realm: Found, draft: OrganizationDraft): RoleGraph => {
  const nodes = new Map<RoleName, FoundNode>()
  const roles = fieldIn(realm, 'roles')
  if (roles.value !== undefined && !isRecord(roles.value)) warn(roles, 'Malformed')
  readRealmRoles(realm, { draft, nodes })
  const clients = clientsIn(realm)
  for (const ofClients of ['client', 'application'])
    for (const [clientId, list] of entriesIn(fieldIn(roles, ofClients)))
      readClientRoles({ clientId, list, client: clients.get(clientId), realm }, { draft, nodes })
  return new Map(
    [...nodes].map(([name, { imported, composites }]) => {
      const includes = knownRolesIn(
        nodes,
        roleNamesIn(composites, 'realm', ['client', 'application']),
      )
      if (includes.some((included) => nodes.get(included)?.imported))
        warn(composites, 'RolesExpanded')
      return [name, { imported, includes }]
    }),
  )
}

interface Target {
  readonly draft: OrganizationDraft
  readonly nodes: Map<RoleName, FoundNode>
}

const readRealmRoles = (realm: Found, { draft, nodes }: Target): void => {
  let project: ProjectDraft | undefined
  for (const role of recordsIn(fieldIn(fieldIn(realm, 'roles'), 'realm'))) {
    const name = textIn(role, 'name')
    if (name !== undefined && isInternalRole(realm, name)) {
      nodes.set(nameOfRole(name), { imported: undefined, composites: fieldIn(role, 'composites') })
      continue
    }
    project ??= addProject(draft, role, { id: REALM_PROJECT, name: realmName(realm) })
    if (project) addNode(role, { project, clientId: null, nodes })
  }
}

const realmName = (realm: Found): string => {
  const found = fieldIn(realm, textIn(realm, 'displayName') ? 'displayName' : 'realm')
  return nameIn({ ...found, report: () => undefined }, '')
}

interface FoundClient {
  readonly clientId: string
  /** Its roles. */
  readonly list: Found
  readonly client: Found | undefined
  readonly realm: Found
}

const readClientRoles = (
  { clientId, list, client, realm }: FoundClient,
  { draft, nodes }: Target,
): void => {
  const isInternal = isInternalClient(realm, clientId)
  let project: ProjectDraft | undefined
  for (const role of recordsIn(list)) {
    const name = textIn(role, 'name')
    if (isInternal || name === UMA_PROTECTION) {
      const composites = fieldIn(role, 'composites')
      if (name !== undefined)
        nodes.set(nameOfRole(name, clientId), { imported: undefined, composites })
      continue
    }
    project ??= addProject(draft, list, projectOf({ clientId, list, client }))
    if (!project) return
    addNode(role, { project, clientId, nodes })
  }
}

/** The role that Keycloak gives to the service account of a client with authorization rules. */
const UMA_PROTECTION = 'uma_protection'

const projectOf = ({ clientId, list, client }: Omit<FoundClient, 'realm'>) => {
  const isTaken = clientId === REALM_PROJECT
  if (isTaken) warn(list, 'IdChanged')
  if (client && fieldIn(client, 'enabled').value === false) warn(client, 'ClientDisabled')
  const title = client && textIn(client, 'name')
  // Keycloak translates names that begin so.
  const isOwnName = title !== undefined && !title.startsWith('${')
  const name = client && isOwnName ? fieldIn(client, 'name') : { ...list, value: clientId }
  return { id: isTaken ? derivedId(clientId) : clientId, name: nameIn(name, clientId) }
}

/** Adds a role to a project and to the graph. */
const addNode = (
  role: Found,
  {
    project,
    clientId,
    nodes,
  }: {
    readonly project: ProjectDraft
    readonly clientId: string | null
    readonly nodes: Target['nodes']
  },
): void => {
  const key = fieldIn(role, 'name')
  const { value: roleKey } = key
  const count = project.roles.size
  addRole(project, key)
  if (project.roles.size === count || typeof roleKey !== 'string') return
  const composites = fieldIn(role, 'composites')
  nodes.set(nameOfRole(roleKey, clientId), { imported: { project, roleKey }, composites })
}

export const clientsIn = (realm: Found): ReadonlyMap<string, Found> => {
  const clients = new Map<string, Found>()
  // The first versions called clients applications, and Keycloak still reads them.
  for (const list of ['clients', 'applications'])
    for (const client of recordsIn(fieldIn(realm, list))) {
      const clientId = textIn(client, list === 'clients' ? 'clientId' : 'name')
      if (clientId !== undefined) clients.set(clientId, client)
    }
  return clients
}

const INTERNAL_ROLES = ['offline_access', 'uma_authorization']

/** Whether a role of a realm is Keycloak's own. */
const isInternalRole = (realm: Found, name: string): boolean =>
  [...INTERNAL_ROLES, ...defaultRoles(realm)].includes(name) ||
  (textIn(realm, 'realm') === 'master' && ['admin', 'create-realm'].includes(name))

/** The names of the role that every new user gets. */
const defaultRoles = (realm: Found): readonly (string | undefined)[] => [
  textIn(fieldIn(realm, 'defaultRole'), 'name'),
  `default-roles-${textIn(realm, 'realm')?.toLowerCase()}`,
]

/** Warns of roles that new users get automatically: through groups, the default role, or lists of older versions. */
export const warnOfDefaults = (realm: Found, roles: RoleGraph): void => {
  const groups = fieldIn(realm, 'defaultGroups')
  if (Array.isArray(groups.value) && groups.value.length > 0) warn(groups, 'DefaultsLeft')
  const names = defaultRoles(realm).map((name) => name !== undefined && nameOfRole(name))
  const defaults = names.flatMap((name) => (name && roles.get(name)?.includes) || [])
  if (defaults.some((name) => roles.get(name)?.imported))
    warn(fieldIn(realm, 'defaultRole'), 'DefaultsLeft')
  const lists: { list: Found; clientId: string | null | undefined }[] = [
    { list: fieldIn(realm, 'defaultRoles'), clientId: null },
  ]
  for (const [clientId, client] of clientsIn(realm))
    lists.push({ list: fieldIn(client, 'defaultRoles'), clientId })
  for (const { list, clientId } of lists)
    if ([...textsIn(list)].some(({ value }) => roles.get(nameOfRole(value, clientId))?.imported))
      warn(list, 'DefaultsLeft')
}

const INTERNAL_CLIENTS = [
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
]

/** The realm `master` has a client for each realm, whose roles let users manage it. */
const isInternalClient = (realm: Found, clientId: string): boolean =>
  INTERNAL_CLIENTS.includes(clientId) ||
  (textIn(realm, 'realm') === 'master' && clientId.endsWith('-realm'))

/** A role of a project. */
interface ImportedRole {
  readonly project: ProjectDraft
  readonly roleKey: string
}

/** Name of a role within a realm; roles of clients have the client in it. */
export type RoleName = string

const nameOfRole = (name: string, clientId: string | null | undefined = null): RoleName =>
  JSON.stringify([clientId, name])

interface RoleNode {
  /** Undefined for a role of Keycloak itself. */
  readonly imported: ImportedRole | undefined
  readonly includes: readonly RoleName[]
}

/** The roles of a realm. */
export type RoleGraph = ReadonlyMap<RoleName, RoleNode>

/** A realm multiplies to more than is read: roles include roles, and groups give them to users. */
export class TooLarge extends Error {}

/** Counts steps. @throws TooLarge when there are too many */
export type Spend = (steps: number) => void

/** Most steps for one export: the roles of users, of groups, and those that they include. They take some seconds. */
const MAX_STEPS = 5_000_000

export const budget = (): Spend => {
  let left = MAX_STEPS
  return (steps) => {
    left -= steps
    if (left < 0) throw new TooLarge()
  }
}

/** The imported roles among some roles and all that they include, each once. Roles may include each other in a circle. */
export const rolesWith = (
  graph: RoleGraph,
  names: Iterable<RoleName>,
  spend: Spend,
): readonly ImportedRole[] => {
  const seen = new Set(names)
  const imported: ImportedRole[] = []
  // The loop also visits roles that are added to the set meanwhile.
  for (const name of seen) {
    const node = graph.get(name)
    spend(1 + (node?.includes.length ?? 0))
    if (node?.imported) imported.push(node.imported)
    for (const included of node?.includes ?? []) seen.add(included)
  }
  return imported
}

/** The names of roles that an object refers to. */
export function* roleNamesIn(
  holder: Found,
  ofRealm: string,
  ofClients: readonly string[],
): Generator<FoundText> {
  for (const role of textsIn(fieldIn(holder, ofRealm)))
    yield { ...role, value: nameOfRole(role.value) }
  for (const name of ofClients)
    for (const [clientId, list] of entriesIn(fieldIn(holder, name)))
      for (const role of textsIn(list)) yield { ...role, value: nameOfRole(role.value, clientId) }
}

/** The role that a mapper names: `client.role`, of the longest client that has it, or a role of the realm. */
export const roleNamed = (graph: RoleGraph, name: string): readonly RoleName[] => {
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const ofClient = nameOfRole(name.slice(dot + 1), name.slice(0, dot))
    if (graph.has(ofClient)) return [ofClient]
  }
  const ofRealm = nameOfRole(name)
  return graph.has(ofRealm) ? [ofRealm] : []
}

/** Keycloak's own roles, whatever the name of the realm. A file without roles has none of their definitions. */
const isInternalName = (name: RoleName): boolean => {
  const [clientId, role] = JSON.parse(name)
  if (clientId === null) return INTERNAL_ROLES.includes(role)
  return INTERNAL_CLIENTS.includes(clientId) || role === UMA_PROTECTION
}

/** The names that the realm has roles for. Unknown ones are warned about, except for Keycloak's own. */
export const knownRolesIn = (
  graph: ReadonlyMap<RoleName, unknown>,
  names: Iterable<FoundText>,
): readonly RoleName[] => {
  const known: RoleName[] = []
  for (const name of names)
    if (graph.has(name.value)) known.push(name.value)
    else if (!isInternalName(name.value)) warn(name, 'RoleUnknown')
  return known
}
