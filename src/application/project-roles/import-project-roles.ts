import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { fold } from '../../domain/decider.js'
import {
  type ProjectRoleState,
  projectRole,
  projectRoles,
} from '../../domain/project-role/aggregate.js'
import type { UpdateProjectRole } from '../../domain/project-role/command-schemas.js'
import type { ProjectId, RoleKey } from '../../domain/values.js'
import { MAX_APPEND_BYTES } from '../../ports/event-store.js'
import type { WriteError } from '../errors/errors.js'
import {
  type ImportProgress,
  type ImportReport,
  importRows,
  type RowResult,
} from '../import-rows.js'
import type { AdmittedCall, LongContext } from '../method/context.js'
import type { Rows } from '../method/input.js'
import { change } from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { missingContainer } from '../writing/write-object.js'
import { AddedRole, type NewRoleInput, roleBytes } from './add-project-roles.js'

/** Roles for one project: a list, a generator, or rows of a file as it is read. */
export interface ImportProjectRolesInput {
  /** The `id` of the project; it must exist. */
  readonly projectId: string
  /** Any number of rows, read at most 1,000 at a time. */
  readonly roles: Iterable<NewRoleInput> | AsyncIterable<NewRoleInput>
}

/**
 * Adds roles of one project in batches of at most 1,000 rows, each batch in one append. A row whose role exists and is
 * equal is skipped, so an interrupted import continues when it is run again. A row that would change a role is refused:
 * see `iam.apply`.
 */
export const importProjectRoles = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, roles }: { readonly projectId: ProjectId; readonly roles: Rows },
  onProgress: LongContext<ImportProgress>['onProgress'],
): Promise<Result<ImportReport, WriteError>> => {
  const importInto = (rows: readonly AddedRole[]) => importBatch(runtime, call, { projectId, rows })
  // An empty batch checks that the project exists before the source is read.
  const found = await importInto([])
  if (found.isErr()) return err(found.error)
  return importRows(
    roles,
    { schema: AddedRole, newBatch: byteCounter, importBatch: importInto, onProgress },
    { ...runtime, signal: call.signal },
  )
}

/** Whether rows fit into one append by their bytes. */
const byteCounter = () => {
  let bytes = 0
  return (row: AddedRole): boolean => {
    bytes += roleBytes(row)
    return bytes <= MAX_APPEND_BYTES
  }
}

/**
 * Adds the `rows` whose roles do not exist yet in one append, and returns a result for each row. An append writes a
 * stream once, so the first of several rows with one key adds the role.
 */
const importBatch = (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, rows }: { readonly projectId: ProjectId; readonly rows: readonly AddedRole[] },
): Promise<Result<readonly RowResult[], WriteError>> =>
  transact(runtime, call, {
    decide: async (streams) => {
      const missing = await missingContainer(streams, projectRoles, { projectId })
      if (missing) return err(missing)
      const first = new Map<RoleKey, AddedRole>()
      for (const row of rows) if (!first.has(row.roleKey)) first.set(row.roleKey, row)
      const imported = await Promise.all(
        [...first.values()].map(async (row) => {
          const data = { projectId, ...row }
          const before = await streams.read(projectRoles, data, { load: 'assume-empty' })
          const decision = projectRole.decide({ type: 'AddProjectRole', data }, before.state)
          if (exists(before.state)) return { state: before.state, change: change(before, []) }
          const events = decision.unwrapOr([])
          return { state: fold(projectRole, events), addedBy: row, change: change(before, events) }
        }),
      )
      return ok({
        roles: new Map([...first.keys()].map((roleKey, index) => [roleKey, imported[index]])),
        changes: imported.map((each) => each.change),
      })
    },
    answer: ({ decided: { roles } }) =>
      rows.map((row) => {
        const role = roles.get(row.roleKey)
        if (role?.addedBy === row) return 'added'
        if (role && changesNothing({ projectId, ...row }, role.state)) return 'unchanged'
        const object = { type: 'project_role', projectId, roleKey: row.roleKey } as const
        return { kind: 'AlreadyExists', object }
      }),
  })

/** Whether an update of a role in `state` to `data` would record nothing. */
const changesNothing = (data: UpdateProjectRole['data'], state: ProjectRoleState): boolean =>
  projectRole
    .decide({ type: 'UpdateProjectRole', data }, state)
    .map((events) => events.length === 0)
    .unwrapOr(false)
