import { err, ok, type Result } from 'neverthrow'
import { projectStream } from '../../domain/project/events.js'
import type { ProjectRoleState } from '../../domain/project-role/decider.js'
import { projectRoleStream } from '../../domain/project-role/events.js'
import type { AlreadyExists } from '../../domain/refusals.js'
import type { ProjectId, RoleKey } from '../../domain/values.js'
import type { IamError, InvalidArgument } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import type { AddedRole } from './add-project-roles.js'
import { refuseUnlessExists } from './change-project-role.js'

/** A row as it was when the source gave it, and its place among all, from 0. */
export interface Row {
  readonly index: number
  readonly parsed: Result<AddedRole, InvalidArgument>
}

/** A row that was not imported: it is malformed, or its key is that of a role that is not equal. */
export interface RefusedRow {
  /** From 0. */
  readonly index: number
  /** What is wrong with it, or the role that is there. */
  readonly error: InvalidArgument | AlreadyExists
}

/** What became of the rows of one batch. */
export interface BatchReport {
  readonly added: number
  readonly unchanged: number
  readonly refused: readonly RefusedRow[]
}

/** A row that is well-formed. */
interface Candidate {
  readonly index: number
  readonly role: AddedRole
}

/** The row that may add a role, and the stream of the role. */
interface Adding {
  readonly candidate: Candidate
  readonly tracked: ReturnType<Runtime['projectRoles']['track']>
}

type Roles = ReadonlyMap<RoleKey, Adding>

/** Adds the roles of well-formed rows that are not there yet, in one append. */
export const importBatch = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, rows }: { readonly projectId: ProjectId; readonly rows: readonly Row[] },
): Promise<Result<BatchReport, IamError>> => {
  const { candidates, malformed } = partition(rows)
  const roles = firstOfEachKey(runtime, call, { projectId, candidates })
  const recorded = await addMissing(runtime, call, { projectId, roles })
  if (recorded.isErr()) return err(recorded.error)

  const refused = [...malformed]
  let added = 0
  for (const { index, role } of candidates) {
    const { roleKey } = role
    const first = roles.get(roleKey)
    if (first?.candidate.index === index && first.tracked.newEvents.length > 0) added++
    else if (!isEqual(role, first?.tracked.state)) {
      const object = { type: 'project_role', projectId, roleKey } as const
      refused.push({ index, error: { kind: 'AlreadyExists', object } })
    }
  }
  refused.sort((one, other) => one.index - other.index)
  return ok({ added, unchanged: rows.length - added - refused.length, refused })
}

const partition = (rows: readonly Row[]) => {
  const candidates: Candidate[] = []
  const malformed: RefusedRow[] = []
  for (const { index, parsed } of rows)
    parsed.match(
      (role) => candidates.push({ index, role }),
      (error) => malformed.push({ index, error }),
    )
  return { candidates, malformed }
}

/** An append names a stream once: of rows with one key, the first may add the role. */
const firstOfEachKey = (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  {
    projectId,
    candidates,
  }: { readonly projectId: ProjectId; readonly candidates: readonly Candidate[] },
): Roles => {
  const roles = new Map<RoleKey, Adding>()
  for (const candidate of candidates) {
    const { roleKey } = candidate.role
    if (roles.has(roleKey)) continue
    const stream = projectRoleStream(orgId, projectId, roleKey)
    roles.set(roleKey, { candidate, tracked: runtime.projectRoles.track(stream, true) })
  }
  return roles
}

const addMissing = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, roles }: { readonly projectId: ProjectId; readonly roles: Roles },
): Promise<Result<unknown, IamError>> => {
  const project = runtime.projects.track(projectStream(call.orgId, projectId))
  const entries = [...roles.values()]
  return transact(runtime, call, {
    command: { method: call.method, input: { projectId } },
    object: entries.at(-1)?.tracked ?? project,
    writes: entries.map(({ tracked }) => tracked),
    guard: project,
    decide: () => {
      const refusal = refuseUnlessExists(project.state, projectId)
      if (refusal) return refusal
      for (const { candidate, tracked } of entries) {
        const data = { projectId, ...candidate.role }
        const isThere = tracked.state.status === 'active'
        tracked.decideAll(isThere ? [] : [{ type: 'AddProjectRole', data }])
      }
      return ok(undefined)
    },
    ids: () => ({}),
  })
}

const isEqual = (role: AddedRole, state: ProjectRoleState | undefined): boolean =>
  state?.status === 'active' && state.displayName === role.displayName && state.group === role.group
