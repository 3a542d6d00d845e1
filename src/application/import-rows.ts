import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AlreadyExists, NotFound } from '../domain/decider.js'
import type { Host } from '../ports/host.js'
import type {
  Cancelled,
  InvalidArgument,
  PermissionDenied,
  SourceFailed,
  WriteError,
} from './errors/errors.js'
import type { AdmittedCall } from './method/context.js'
import { parse, type Rows } from './method/input.js'
import { abortableSource } from './waiting.js'

/** Progress of an import, after each batch. */
export interface ImportProgress {
  /** Number of rows read so far. */
  readonly done: number
  /** Number of rows whose object was added. */
  readonly added: number
  /** Number of rows whose object existed already and was equal. */
  readonly unchanged: number
  /** Number of refused rows. */
  readonly refusedCount: number
}

/** Result of an import. */
export interface ImportReport extends ImportProgress {
  /** The first 1,000 refused rows, and why they were refused. */
  readonly refused: readonly RefusedRow[]
}

/**
 * A row that was not imported: it is malformed or not allowed, refers to an object that does not exist, or its own
 * object exists and differs.
 */
export interface RefusedRow {
  /** Index of the row, from 0. */
  readonly index: number
  /** Why the row was refused. */
  readonly error: InvalidArgument | NotFound | AlreadyExists | PermissionDenied
}

/** The result of importing a well-formed row. */
export type RowResult = 'added' | 'unchanged' | RefusedRow['error']

export const MAX_ROWS = 1_000

/** Most refused rows in a report; all are counted. */
const MAX_REPORTED = 1_000

/** How the rows of one method are imported. */
export interface RowsImport<Schema extends z.ZodMiniType> {
  readonly schema: Schema
  /** Begins a batch; the function takes each row in turn and says whether it still fits. Absent: any 1,000 rows fit. */
  readonly newBatch?: () => (row: z.output<Schema>) => boolean
  /** Imports the well-formed rows of one batch, in one append. Its results are in the order of the rows. */
  readonly importBatch: (
    rows: readonly z.output<Schema>[],
  ) => Promise<Result<readonly RowResult[], WriteError>>
  readonly onProgress: ((progress: ImportProgress) => void) | undefined
}

/** Imports `source` batch by batch. Only one batch is in memory at a time. */
export const importRows = async <Schema extends z.ZodMiniType>(
  source: Rows,
  { importBatch, onProgress, ...reading }: RowsImport<Schema>,
  { environment, signal }: Pick<Host, 'environment'> & Pick<AdmittedCall, 'signal'>,
): Promise<Result<ImportReport, WriteError>> => {
  let report: ImportReport = { done: 0, added: 0, unchanged: 0, refusedCount: 0, refused: [] }
  for await (const { rows, failure } of batchesOf(source, reading, signal)) {
    if (rows.length > 0) {
      const imported = await importBatch(rows.flatMap((row) => (row.isOk() ? [row.value] : [])))
      if (imported.isErr()) return err(imported.error)
      report = withResults(report, resultsOf(rows, imported.value))
      const { refused, ...progress } = report
      onProgress?.(progress)
    }
    if (failure) return err(failure)
    await environment.yield()
  }
  return ok(report)
}

/** The result of each row: of its import, or why it is malformed. */
const resultsOf = (
  rows: readonly ParsedRow<unknown>[],
  imported: readonly RowResult[],
): readonly RowResult[] => {
  const results = imported.values()
  return rows.map((row) => {
    if (row.isErr()) return row.error
    const { value } = results.next()
    if (value === undefined) throw new Error('An import has no result for a row')
    return value
  })
}

const withResults = (before: ImportReport, results: readonly RowResult[]): ImportReport => {
  const refused = results.flatMap((error, index) =>
    typeof error === 'string' ? [] : { index: before.done + index, error },
  )
  return {
    done: before.done + results.length,
    added: before.added + results.filter((result) => result === 'added').length,
    unchanged: before.unchanged + results.filter((result) => result === 'unchanged').length,
    refusedCount: before.refusedCount + refused.length,
    refused: [...before.refused, ...refused].slice(0, MAX_REPORTED),
  }
}

type ParsedRow<Row> = Result<Row, InvalidArgument>

/** Rows in batches. When the source fails, the rows before its failure come with it. */
async function* batchesOf<Schema extends z.ZodMiniType>(
  source: Rows,
  { schema, newBatch = () => () => true }: Pick<RowsImport<Schema>, 'schema' | 'newBatch'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<{
  readonly rows: readonly ParsedRow<z.output<Schema>>[]
  readonly failure?: SourceFailed | Cancelled
}> {
  let rows: ParsedRow<z.output<Schema>>[] = []
  let fits = newBatch()
  let index = 0
  try {
    for await (const value of abortableSource(source, signal)) {
      // Each is parsed at once, because a source may reuse one object.
      const row = parse(schema, value)
      if (row.isOk() && !fits(row.value)) {
        yield { rows }
        rows = []
        fits = newBatch()
        fits(row.value)
      }
      rows.push(row)
      index++
      if (rows.length < MAX_ROWS) continue
      yield { rows }
      rows = []
      fits = newBatch()
    }
  } catch (cause) {
    const failed = { kind: 'SourceFailed', index, cause } as const
    return yield { rows, failure: signal?.aborted ? { kind: 'Cancelled' } : failed }
  }
  if (rows.length > 0) yield { rows }
}
