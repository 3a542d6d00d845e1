import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import type { AlreadyExists, NotFound } from '../domain/decider.js'
import type { IamError, InvalidArgument } from './errors/errors.js'
import { Fault } from './errors/fault.js'
import type { AdmittedCall } from './method/context.js'
import { parse } from './method/input.js'
import { abortableSource, yieldToEventLoop } from './waiting.js'

/** Most rows of one batch. */
export const MAX_ROWS = 1_000

/** Most refused rows in a report; all are counted. */
const MAX_REPORTED = 1_000

/** A row that was not imported: it is malformed, names what does not exist, or its object exists and differs. */
export interface RefusedRow {
  /** From 0. */
  readonly index: number
  /** What is malformed, what does not exist, or which object exists already. */
  readonly error: InvalidArgument | NotFound | AlreadyExists
}

/** Progress of an import, after each batch. */
export interface ImportProgress {
  /** Rows that were read so far. */
  readonly done: number
  /** Rows whose object was added. */
  readonly added: number
  /** Rows whose object existed and was equal. */
  readonly unchanged: number
  /** Number of refused rows. */
  readonly refusedCount: number
}

/** Result of an import. */
export interface ImportReport extends ImportProgress {
  /** The first 1,000 refused rows, and why they were refused. */
  readonly refused: readonly RefusedRow[]
}

/** What became of a well-formed row. */
export type RowResult = 'added' | 'unchanged' | RefusedRow['error']

type Importer<Row> = (rows: readonly Row[]) => Promise<Result<readonly RowResult[], IamError>>

/** Where rows come from. */
export type Rows = Iterable<unknown> | AsyncIterable<unknown>

/** Schema of {@link Rows}. */
export const Rows = z.custom<Rows>(
  (rows) =>
    typeof rows === 'object' &&
    rows !== null &&
    (Symbol.iterator in rows || Symbol.asyncIterator in rows),
  { error: 'must be a list, or something else to iterate over' },
)

/** How the rows of one method are imported. */
export interface RowsImport<Schema extends z.ZodMiniType> {
  /** Schema of a row. */
  readonly schema: Schema
  /** Begins a batch; the function takes each row in turn and says whether it still fits in. Any 1,000 do when absent. */
  readonly newBatch?: () => (row: z.output<Schema>) => boolean
  /** Imports the well-formed rows of one batch, in one append, and says what became of each. */
  readonly importBatch: Importer<z.output<Schema>>
  readonly onProgress: ((progress: ImportProgress) => void) | undefined
}

/** Imports `source` batch by batch. Only one batch is in memory at a time. */
export const importRows = async <Schema extends z.ZodMiniType>(
  source: Rows,
  { schema, newBatch = () => () => true, importBatch, onProgress }: RowsImport<Schema>,
  signal: AdmittedCall['signal'],
): Promise<Result<ImportReport, IamError>> => {
  let report = NOTHING
  for await (const rows of batchesOf(parsedRows(source, schema, signal), newBatch)) {
    const wellFormed = rows.flatMap((row) => (row.isOk() ? [row.value] : []))
    const imported = await importBatch(wellFormed)
    if (imported.isErr()) return err(imported.error)
    const results = imported.value.values()
    report = sum(
      report,
      rows.map((row) => (row.isErr() ? row.error : (results.next().value ?? 'unchanged'))),
    )
    const { refused, ...progress } = report
    onProgress?.(progress)
    await yieldToEventLoop()
  }
  return ok(report)
}

const NOTHING: ImportReport = { done: 0, added: 0, unchanged: 0, refusedCount: 0, refused: [] }

const sum = (before: ImportReport, results: readonly RowResult[]): ImportReport => {
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

/** The rows of a source, parsed at once, since a source may reuse one object for all. @throws Fault when it fails */
async function* parsedRows<Schema extends z.ZodMiniType>(
  source: Rows,
  schema: Schema,
  signal: AbortSignal | undefined,
): AsyncGenerator<ParsedRow<z.output<Schema>>> {
  let index = 0
  try {
    for await (const value of abortableSource(source, signal)) {
      yield parse(schema, value)
      index++
    }
  } catch (cause) {
    throw new Fault(
      signal?.aborted ? { kind: 'Cancelled' } : { kind: 'SourceFailed', index, cause },
    )
  }
}

type ParsedRow<Row> = Result<Row, InvalidArgument>

/** Rows in batches. When the source fails, the rows before come first. @throws what the source throws */
async function* batchesOf<Row>(
  source: AsyncIterable<ParsedRow<Row>>,
  newBatch: () => (row: Row) => boolean,
): AsyncGenerator<readonly ParsedRow<Row>[]> {
  let rows: ParsedRow<Row>[] = []
  let fits = newBatch()
  let failure: unknown
  try {
    for await (const row of source) {
      if (row.isOk() && !fits(row.value)) {
        yield rows
        rows = []
        fits = newBatch()
        fits(row.value)
      }
      rows.push(row)
      if (rows.length < MAX_ROWS) continue
      yield rows
      rows = []
      fits = newBatch()
    }
  } catch (thrown) {
    failure = thrown
  }
  if (rows.length > 0) yield rows
  if (failure !== undefined) throw failure
}
