import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { ProjectId } from '../../domain/values.js'
import { Fault } from '../errors/fault.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { parse } from '../method/parse.js'
import { targetProjectOfRole } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { abortableSource } from '../waiting/abortable-source.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { AddedRole, type GivenRole, MAX_ROLES } from './add-project-roles.js'
import { type BatchReport, importBatch, type RefusedRow, type Row } from './import-batch.js'

/** Most refused rows that a report names; all are counted. */
const MAX_REPORTED = 1_000

/** Roles for one project, from wherever they come; a list, a generator, rows of a file as it is read. */
export interface ImportProjectRolesInput {
  /** The `id` of the project, which must exist. Spec: Project role. */
  readonly projectId: string
  /** Any number of rows; read as they are needed, 1,000 at a time. Spec: Project role. */
  readonly roles: Iterable<GivenRole> | AsyncIterable<GivenRole>
}

/** How far an import is, after each batch. */
export interface ImportProgress {
  /** Rows that were read. */
  readonly done: number
  /** Rows whose role was added. */
  readonly added: number
  /** Rows whose role was there, and equal. */
  readonly unchanged: number
  /** How many rows were refused. */
  readonly refusedCount: number
}

/** What an import did. */
export interface ImportReport extends ImportProgress {
  /** The first 1,000 rows that were refused, and why. */
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
 * Adds roles of one project in batches of {@link MAX_ROLES} rows, each batch in one append, holding
 * one batch at a time. A row whose role is there and equal is passed over, so an import that was cut
 * short goes on when it is run again. A row that would change a role is refused: see `iam.apply`.
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
      target: targetProjectOfRole,
      refuses: ['expectedSequence', 'idempotencyKey', 'dryRun'],
    },
    async (call, { projectId, roles }, onProgress) => {
      // Nothing is read for a project that is not there: a batch without rows finds that out.
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

/** The rows of a source by {@link MAX_ROLES}. @throws Fault after what a source gave before it failed */
async function* batchesOf(
  source: Rows,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[]> {
  let index = 0
  let rows: Row[] = []
  let failure: Fault | undefined
  try {
    for await (const value of abortableSource(source, signal)) {
      // At once: a source may give the same object again, filled anew.
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
