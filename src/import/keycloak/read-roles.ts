import { addProject, type OrganizationDraft } from '../drafting/organization-draft.js'
import { addRole, type ProjectDraft } from '../drafting/project-draft.js'
import { entriesIn, type Found, fieldIn, recordsIn, textIn } from '../reading/document.js'
import { derivedId } from '../reading/ids.js'
import { nameIn } from '../reading/names.js'
import type { Warn } from '../warning.js'
import {
  knownRolesIn,
  nameOfRole,
  type RoleGraph,
  type RoleName,
  type RoleNode,
  roleNamesIn,
} from './role-graph.js'

/** Id of the project that has the roles of the realm. */
const REALM_PROJECT = 'realm'

/** A role before it is known which roles come with it. */
interface FoundNode extends Pick<RoleNode, 'kept'> {
  readonly composites: Found
}

/** The roles of a realm, added to projects. */
export const readRoles = (realm: Found, draft: OrganizationDraft, warn: Warn): RoleGraph => {
  const nodes = new Map<RoleName, FoundNode>()
  const roles = fieldIn(realm, 'roles')
  readRealmRoles(realm, { draft, nodes }, warn)
  const clients = clientsIn(realm, warn)
  for (const [clientId, list] of entriesIn(fieldIn(roles, 'client'), warn))
    readClientRoles(
      { clientId, list, client: clients.get(clientId), realm },
      { draft, nodes },
      warn,
    )
  return new Map(
    [...nodes].map(([name, { kept, composites }]) => {
      const names = roleNamesIn(composites, ['realm', 'client'], warn)
      const includes = knownRolesIn(nodes, names, warn)
      if (includes.length > 0) warn('RolesExpanded', composites.path)
      return [name, { kept, includes }]
    }),
  )
}

interface Target {
  readonly draft: OrganizationDraft
  readonly nodes: Map<RoleName, FoundNode>
}

const readRealmRoles = (realm: Found, { draft, nodes }: Target, warn: Warn): void => {
  let project: ProjectDraft | undefined
  for (const role of recordsIn(fieldIn(fieldIn(realm, 'roles'), 'realm'), warn)) {
    const name = textIn(role, 'name')
    if (name !== undefined && isInternalRole(realm, name)) {
      warn('Internal', role.path)
      nodes.set(nameOfRole(name), { kept: undefined, composites: fieldIn(role, 'composites') })
      continue
    }
    project ??= addProject(
      draft,
      { id: REALM_PROJECT, name: realmName(realm), path: role.path },
      warn,
    )
    if (project) addNode(role, { project, clientId: null, nodes }, warn)
  }
}

const realmName = (realm: Found): string =>
  nameIn(
    fieldIn(realm, textIn(realm, 'displayName') ? 'displayName' : 'realm'),
    '',
    () => undefined,
  )

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
  warn: Warn,
): void => {
  const isInternal = isInternalClient(realm, clientId)
  let project: ProjectDraft | undefined
  for (const role of recordsIn(list, warn)) {
    const name = textIn(role, 'name')
    if (isInternal) {
      const composites = fieldIn(role, 'composites')
      if (name !== undefined) nodes.set(nameOfRole(name, clientId), { kept: undefined, composites })
      continue
    }
    project ??= addProject(draft, projectOf({ clientId, list, client, realm }, warn), warn)
    if (!project) return
    addNode(role, { project, clientId, nodes }, warn)
  }
  if (isInternal) warn('Internal', list.path)
}

const projectOf = ({ clientId, list: { path }, client }: FoundClient, warn: Warn) => {
  const isTaken = clientId === REALM_PROJECT
  if (isTaken) warn('IdChanged', path)
  if (client && fieldIn(client, 'enabled').value === false) warn('ClientDisabled', client.path)
  const shown = client && textIn(client, 'name')
  // Keycloak translates such a name.
  const isOwnName = shown !== undefined && !shown.startsWith('${')
  const name = client && isOwnName ? fieldIn(client, 'name') : { value: clientId, path }
  return {
    id: isTaken ? derivedId(clientId) : clientId,
    name: nameIn(name, clientId, warn),
    path,
  }
}

/** A role of a project that is kept. */
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
  warn: Warn,
): void => {
  const { value: roleKey, path } = fieldIn(role, 'name')
  const count = project.roles.size
  const displayName = typeof roleKey === 'string' ? roleKey : ''
  addRole(project, { roleKey, displayName, path }, warn)
  if (project.roles.size === count || typeof roleKey !== 'string') return
  const composites = fieldIn(role, 'composites')
  nodes.set(nameOfRole(roleKey, clientId), { kept: { project, roleKey }, composites })
}

const clientsIn = (realm: Found, warn: Warn): ReadonlyMap<string, Found> => {
  const clients = new Map<string, Found>()
  for (const client of recordsIn(fieldIn(realm, 'clients'), warn)) {
    const clientId = textIn(client, 'clientId')
    if (clientId !== undefined) clients.set(clientId, client)
  }
  return clients
}

const isInternalRole = (realm: Found, name: string): boolean =>
  ['offline_access', 'uma_authorization', textIn(fieldIn(realm, 'defaultRole'), 'name')].includes(
    name,
  ) || name === `default-roles-${textIn(realm, 'realm')?.toLowerCase()}`

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
