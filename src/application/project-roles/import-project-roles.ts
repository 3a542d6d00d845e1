import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import { projectRole } from '../../domain/project-role/decider.js'
import { ProjectId, type RoleKey } from '../../domain/values.js'
import type { WriteError } from '../errors/errors.js'
import {
  type ImportProgress,
  type ImportReport,
  importRows,
  type RowResult,
  Rows,
} from '../import-rows.js'
import type { AdmittedCall } from '../method/context.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { record, type StreamRecord } from '../recording/snapshot.js'
import { transact } from '../recording/transact.js'
import type { View } from '../recording/view.js'
import type { Runtime } from '../runtime.js'
import { missingContainer } from '../writing/missing-container.js'
import { AddedRole, type GivenRole } from './add-project-roles.js'

/** Roles for one project: a list, a generator, or rows of a file as it is read. */
export interface ImportProjectRolesInput {
  /** The `id` of the project, which must exist. Spec: Project role. */
  readonly projectId: string
  /** Any number of rows, read 1,000 at a time. Spec: Project role. */
  readonly roles: Iterable<GivenRole> | AsyncIterable<GivenRole>
}

const Input = z.strictObject({ projectId: ProjectId, roles: Rows })

/**
 * The method that adds roles of one project in batches of 1,000 rows, each batch in one append. A row whose role
 * exists and is equal is skipped, so an interrupted import continues when it is run again. A row that would change a
 * role is refused: see `iam.apply`.
 */
export const importProjectRoles = (
  runtime: Runtime,
): LongWrite<ImportProjectRolesInput, ImportProgress, ImportReport> =>
  longWrite(
    runtime,
    {
      method: 'projectRoles.import',
      permissions: ['project.role.read', 'project.role.write'],
      schema: Input,
      target: targetOf(projectRoles),
    },
    async (call, { projectId, roles }, onProgress) => {
      const importInto = (rows: readonly AddedRole[]) =>
        importBatch(runtime, call, { projectId, rows })
      // An empty batch checks that the project exists before the source is read.
      const found = await importInto([])
      if (found.isErr()) return err(found.error)
      return importRows(
        roles,
        { schema: AddedRole, importBatch: importInto, onProgress },
        call.signal,
      )
    },
  )

/** A role as it is after the batch. */
interface Imported {
  readonly shown: Pick<AddedRole, 'displayName' | 'group'>
  /** The row that adds it; undefined when the role existed before. */
  readonly addedBy: AddedRole | undefined
  readonly record: StreamRecord
}

/** Adds the `rows` whose roles do not exist yet, in one append, and says what became of each. */
export const importBatch = (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, rows }: { readonly projectId: ProjectId; readonly rows: readonly AddedRole[] },
): Promise<Result<readonly RowResult[], WriteError>> =>
  transact(runtime, call, {
    decide: (view) => {
      const missing = missingContainer(view, projectRoles, { projectId })
      if (missing) return err(missing)
      const roles = rolesAfter(view, projectId, rows)
      return ok({ roles, records: [...roles.values()].map((imported) => imported.record) })
    },
    answer: ({ decided: { roles } }) =>
      rows.map((row) => {
        const imported = roles.get(row.roleKey)
        if (imported?.addedBy === row) return 'added'
        if (isEqual(row, imported?.shown)) return 'unchanged'
        const object = { type: 'project_role', projectId, roleKey: row.roleKey } as const
        return { kind: 'AlreadyExists', object }
      }),
  })

/** An append may write a stream only once, so the first of several rows with the same key adds the role. */
const rolesAfter = (
  view: View,
  projectId: ProjectId,
  rows: readonly AddedRole[],
): ReadonlyMap<RoleKey, Imported> => {
  const roles = new Map<RoleKey, Imported>()
  for (const role of rows) {
    if (roles.has(role.roleKey)) continue
    const data = { projectId, ...role }
    const before = view.readNew(projectRoles, data)
    const decision = projectRole.decide({ type: 'AddProjectRole', data }, before.state)
    roles.set(
      role.roleKey,
      exists(before.state)
        ? { shown: before.state, addedBy: undefined, record: record(before, []) }
        : { shown: role, addedBy: role, record: record(before, decision.unwrapOr([])) },
    )
  }
  return roles
}

const isEqual = (role: AddedRole, shown: Imported['shown'] | undefined): boolean =>
  shown?.displayName === role.displayName && shown.group === role.group
