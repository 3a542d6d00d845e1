import { cellOf } from '../../csv.js'
import type { WireMethod } from '../../transport/wire.js'
import { call, type Failure, type Json, pagesOf, pathOf, rowsIn } from './api.js'

/** The zone of the reader, such as `Europe/Berlin`. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time in the zone of the reader, as spreadsheets read it. */
export const cellTime = (at: string | undefined): string =>
  at ? new Date(at).toLocaleString('sv-SE', { timeZone }) : ''

/**
 * Saves rows as a file of comma-separated values, with a byte order mark, which tells spreadsheets that it is UTF-8.
 */
export const saveCsv = (name: string, rows: readonly (readonly string[])[]): void => {
  const text = rows.map((row) => row.map(cellOf).join(',')).join('\r\n')
  const url = URL.createObjectURL(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\w.-]+/g, '-')}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}

/** Reads all pages of a list, 1,000 rows at a time; or says why one could not be read. */
export const readAll = async <Row>(
  operation: WireMethod,
  parameters: Json,
): Promise<{ readonly rows: readonly Row[] } | { readonly failure: Failure }> => {
  const pages = pagesOf(operation)
  const rows: Row[] = []
  let next = ''
  do {
    const path = pathOf(operation, { ...parameters, page_size: '1000', [pages.cursor]: next })
    const outcome = await call({ method: 'GET', path })
    if ('failure' in outcome) return outcome
    for (const row of rowsIn<Row>(outcome.body, pages)) rows.push(row)
    next = String(outcome.body[pages.next] ?? '')
  } while (next)
  return { rows }
}
