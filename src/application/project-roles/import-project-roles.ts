import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { projectRoles } from '../../domain/project-role/kind.js'
import { ProjectId } from '../../domain/values.js'
import { Fault } from '../errors/fault.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { parse } from '../method/parse.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { abortableSource } from '../waiting/abortable-source.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { AddedRole, type GivenRole, MAX_ROLES } from './add-project-roles.js'
import { type BatchReport, importBatch, type RefusedRow, type Row } from './import-batch.js'

/** Most refused rows in a report; all are counted. */
const MAX_REPORTED = 1_000

/** Roles for one project: a list, a generator, or rows of a file as it is read. */
export interface ImportProjectRolesInput {
  /** The `id` of the project, which must exist. Spec: Project role. */
  readonly projectId: string
  /** Any number of rows, read 1,000 at a time. Spec: Project role. */
  readonly roles: Iterable<GivenRole> | AsyncIterable<GivenRole>
}

/** Progress of an import, after each batch. */
export interface ImportProgress {
  /** Rows that were read so far. */
  readonly done: number
  /** Rows whose role was added. */
  readonly added: number
  /** Rows whose role existed and was equal. */
  readonly unchanged: number
  /** Number of refused rows. */
  readonly refusedCount: number
}

/** Result of an import. */
export interface ImportReport extends ImportProgress {
  /** The first 1,000 refused rows, and why they were refused. */
  readonly refused: readonly RefusedRow[]
}

type Rows = Iterable<unknown> | AsyncIterable<unknown>

const Input = z.strictObject({
  projectId: ProjectId,
  roles: z.custom<Rows>(
    (rows) =>
      typeof rows === 'object' &&
      rows !== null &&
      (Symbol.iterator in rows || Symbol.asyncIterator in rows),
    { error: 'must be a list, or something else to iterate over' },
  ),
})

/**
 * The method that adds roles of one project in batches of {@link MAX_ROLES} rows, each batch in one append.
 * Only one batch is in memory at a time. A row whose role exists and is equal is skipped, so an interrupted
 * import continues when it is run again. A row that would change a role is refused: see `iam.apply`.
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
      // An empty batch checks that the project exists before the source is read.
      const found = await importBatch(runtime, call, { projectId, rows: [] })
      if (found.isErr()) return err(found.error)
      let report = NOTHING
      for await (const rows of batchesOf(roles, call.signal)) {
        const imported = await importBatch(runtime, call, { projectId, rows })
        if (imported.isErr()) return err(imported.error)
        report = sum(report, rows.length, imported.value)
        const { refused, ...progress } = report
        onProgress?.(progress)
        if (rows.length === MAX_ROLES) await yieldToEventLoop()
      }
      return ok(report)
    },
  )

const NOTHING: ImportReport = { done: 0, added: 0, unchanged: 0, refusedCount: 0, refused: [] }

const sum = (before: ImportReport, rows: number, batch: BatchReport): ImportReport => ({
  done: before.done + rows,
  added: before.added + batch.added,
  unchanged: before.unchanged + batch.unchanged,
  refusedCount: before.refusedCount + batch.refused.length,
  refused: [...before.refused, ...batch.refused].slice(0, MAX_REPORTED),
})

/** The rows of a source in batches. When the source fails, the rows before come first. @throws Fault then */
async function* batchesOf(
  source: Rows,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[]> {
  let index = 0
  let rows: Row[] = []
  let failure: Fault | undefined
  try {
    for await (const value of abortableSource(source, signal)) {
      // Parsed at once, since a source may reuse one object for all rows.
      const parsed = parse(AddedRole, value)
      rows.push({ index: index++, parsed })
      if (rows.length === MAX_ROLES) {
        yield rows
        rows = []
      }
    }
  } catch (cause) {
    if (signal?.aborted) throw new Fault({ kind: 'Cancelled' })
    failure = new Fault({ kind: 'SourceFailed', index, cause })
  }
  if (rows.length > 0) yield rows
  if (failure) throw failure
}
