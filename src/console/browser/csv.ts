import { call, type Json, withQuery } from './api.js'

/** The zone of the reader, such as `Europe/Berlin`. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time in the zone of the reader, as spreadsheets read it. */
export const cellTime = (at: string | undefined): string =>
  at ? new Date(at).toLocaleString('sv-SE', { timeZone }) : ''

/** A spreadsheet takes a text that begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r]/

const cellOf = (text: string): string => {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

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

interface Pages {
  readonly path: string
  /** The field of a page that has the rows. */
  readonly items: string
  readonly cursor: 'page_token' | 'before'
}

const NEXT = { page_token: 'nextPageToken', before: 'nextBefore' } as const
/** Pages of 1,000 rows. */
const MOST_PAGES = 100

/** Reads all pages of a path, at most 100,000 rows; undefined when one could not be read. */
export const readAll = async <Row>({
  path,
  items,
  cursor,
}: Pages): Promise<readonly Row[] | undefined> => {
  const rows: Row[] = []
  let next = ''
  for (let page = 0; page < MOST_PAGES; page++) {
    const asked = withQuery(path, { page_size: '1000', [cursor]: next })
    const outcome = await call<Json>({ method: 'GET', path: asked })
    if ('failure' in outcome) return undefined
    rows.push(...((outcome.body[items] ?? []) as readonly Row[]))
    next = String(outcome.body[NEXT[cursor]] ?? '')
    if (!next) break
  }
  return rows
}
