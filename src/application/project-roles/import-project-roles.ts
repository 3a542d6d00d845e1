import { err } from 'neverthrow'
import * as z from 'zod/mini'
import { projectRoles } from '../../domain/project-role/kind.js'
import { ProjectId } from '../../domain/values.js'
import {
  type ImportProgress,
  type ImportReport,
  importRows,
  Rows,
} from '../importing/import-rows.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { AddedRole, type GivenRole } from './add-project-roles.js'
import { importBatch } from './import-batch.js'

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
      refuses: ['expectedSequence', 'idempotencyKey', 'dryRun'],
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
