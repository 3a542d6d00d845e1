import { cellOf } from '../../csv.js'
import type { WireMethod } from '../../transport/wire.js'
import { call, type Failure, type Json, pagesOf, pathOf, rowsIn } from './api.js'

/** The zone of the reader, such as `Europe/Berlin`. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time in the zone of the reader, as spreadsheets read it. */
export const cellTime = (at: string | undefined): string =>
  at ? new Date(at).toLocaleString('sv-SE', { timeZone }) : ''

/** What a long reading tells, and how it is cancelled. */
export interface Reading {
  readonly signal?: AbortSignal
  /** Told after each page how many rows were read. */
  readonly progress?: (count: number) => void
}

/**
 * Gives each page of a list to `take`, 1,000 rows at a time, until the end. Returns why a page could not be read, and
 * how far it came.
 */
export const readPages = async <Row>(
  operation: WireMethod,
  parameters: Json,
  take: (rows: readonly Row[]) => void,
  { signal, progress }: Reading = {},
): Promise<Failure | undefined> => {
  const pages = pagesOf(operation)
  let [next, count] = ['', 0]
  do {
    const path = pathOf(operation, { ...parameters, page_size: '1000', [pages.cursor]: next })
    const outcome = await call({ method: 'GET', path, ...(signal && { signal }) })
    if ('failure' in outcome) return { ...outcome.failure, count }
    const rows = rowsIn<Row>(outcome.body, pages)
    take(rows)
    count += rows.length
    progress?.(count)
    next = String(outcome.body[pages.next] ?? '')
  } while (next)
  return undefined
}

/** Reads all pages of a list; or says why one could not be read. */
export const readAll = async <Row>(
  operation: WireMethod,
  parameters: Json,
): Promise<{ readonly rows: readonly Row[] } | { readonly failure: Failure }> => {
  const rows: Row[] = []
  const take = (page: readonly Row[]) => {
    for (const row of page) rows.push(row)
  }
  const failure = await readPages<Row>(operation, parameters, take)
  return failure ? { failure } : { rows }
}

const linesOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Saves lines as a file, with a byte order mark, which tells spreadsheets that it is UTF-8. */
const saveLines = (name: string, parts: readonly BlobPart[]): void => {
  const url = URL.createObjectURL(new Blob(['\uFEFF', ...parts], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\w.-]+/g, '-')}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}

interface ExportedList<Row> {
  readonly operation: WireMethod
  readonly parameters: Json
  readonly head: readonly string[]
  readonly cells: (row: Row) => readonly string[]
}

/**
 * Saves a whole list, however long: each page becomes a part of the file as it arrives, and its rows are forgotten.
 * Saves nothing when a page cannot be read.
 */
export const exportList = async <Row>(
  name: string,
  { operation, parameters, head, cells }: ExportedList<Row>,
  reading: Reading,
): Promise<Failure | undefined> => {
  const parts: BlobPart[] = [linesOf([head])]
  const take = (rows: readonly Row[]) => void parts.push(new Blob([linesOf(rows.map(cells))]))
  const failure = await readPages<Row>(operation, parameters, take, reading)
  if (!failure) saveLines(name, parts)
  return failure
}
