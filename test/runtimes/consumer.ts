// A host's code, compiled against the installed package under every way to resolve modules.
import {
  type AddProjectInput,
  AddProjectRole,
  type AddProjectRolesInput,
  aesGcmCipher,
  type Context,
  createIam,
  type EventStore,
  type IamError,
  type KnownEvent,
  type ListProjectsInput,
  memoryEventStore,
  type OidcConfigUpdated,
  type PlannedChange,
  type ProjectCommand,
  type ProjectEvent,
  type ProjectRoleState,
  permissionsFromCaller,
  project,
} from 'claviger'
import { eventStoreLaws } from 'claviger/laws'
import { openSqlite, type Sqlite } from 'claviger/sqlite'
import { given } from 'claviger/testing'

const opened: Sqlite = openSqlite(':memory:')
const store: EventStore = memoryEventStore()
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
export const iam = createIam({ ...opened, store, secrets, authorize: permissionsFromCaller })

const id: string = 'portal'
const input: AddProjectInput = { id, name: 'Portal' }
const context: Context = { caller: { userId: 'u1', orgId: 'acme', permissions: ['project.write'] } }

export const add = async (): Promise<string | IamError> => {
  const added = await iam.projects.add(input, context)
  if (added.isErr()) return added.error
  const sequence: bigint = added.value.details.sequence
  return `${added.value.projectId} ${sequence}`
}

// @ts-expect-error a name is needed
export const nameless = () => iam.projects.add({}, context)
// @ts-expect-error a caller belongs to an organization
export const homeless: Context = { caller: { userId: 'u1' } }

export const nameOf = (event: ProjectEvent): string => {
  switch (event.type) {
    case 'project.added':
    case 'project.updated':
      return event.data.name
    case 'project.deactivated':
    case 'project.reactivated':
    case 'project.removed':
      return event.data.id
  }
}

export const decision = given(project, []).when
export const role = AddProjectRole.safeParse({ type: 'AddProjectRole' }).success
export const laws: readonly string[] = eventStoreLaws.map(({ name }) => name)

// What is inferred must have names that a host's own declarations can use.
export const rolesOf = ({ roles }: AddProjectRolesInput) => roles
export const filterOf = ({ filter, sort }: ListProjectsInput) => ({ filter, sort })
export const dataOf = (command: ProjectCommand) => command.data
export const configOf = ({ data }: OidcConfigUpdated) => data
export const plannedOf = ({ fields }: PlannedChange) => fields.map(({ field }) => field)
export const roleOf = (event: KnownEvent) =>
  event.type === 'project_role.added' ? event.data : undefined
export const shownOf = (state: ProjectRoleState) => ({ ...state })
export const example = given(project, [])

// What events and commands carry may be given to whoever takes records of any fields.
export const recordOf = (event: ProjectEvent): Readonly<Record<string, unknown>> => event.data
