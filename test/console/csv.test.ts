import { afterEach, expect, it, vi } from 'vitest'
import { pagesOf } from '../../src/console/browser/api.js'
import { readAll, readPages } from '../../src/console/browser/csv.js'
import { cellOf } from '../../src/csv.js'
import { accessService } from '../../src/transport/wire.js'

afterEach(() => vi.unstubAllGlobals())

// By OWASP, "CSV Injection", and what spreadsheets of East Asia read as plain signs.
it.each(['=1', '+1', '-1', '@A1', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1'])(
  'saves %j as a text, never as a formula',
  (text) => {
    expect(cellOf(text).replace(/^"/, '').startsWith("'")).toBe(true)
  },
)

it.each(['a=1', '', "O'Neil", 'ー', '1'])('saves %j as it is', (text) => {
  expect(cellOf(text)).toBe(text)
})

const { listRoleHolders } = accessService
const { items } = pagesOf(listRoleHolders)

/** Answers `last` pages of 1,000 rows; a page after `failing` cannot be read. */
const servePages = (last: number, failing = last) =>
  vi.stubGlobal('fetch', async (url: URL) => {
    const page = Number(url.searchParams.get('page_token') ?? '1')
    if (page > failing) return Response.json({ message: 'too much' }, { status: 503 })
    const holders = Array.from({ length: 1_000 }, (_, index) => ({ userId: `${page}-${index}` }))
    return Response.json({
      [items]: holders,
      ...(page < last && { nextPageToken: String(page + 1) }),
    })
  })

it('reads a list to its end, however long it is', async () => {
  servePages(130)
  const all = await readAll<{ userId: string }>(listRoleHolders, { projectId: 'p' })
  if ('failure' in all) throw new Error('The list can be read')
  expect([all.rows.length, all.rows.at(-1)?.userId]).toEqual([130_000, '130-999'])
})

it('tells how far a list was read, and where reading ended', async () => {
  servePages(130, 3)
  const told: number[] = []
  const progress = (count: number) => void told.push(count)
  const failure = await readPages(listRoleHolders, { projectId: 'p' }, () => {}, { progress })
  expect(told).toEqual([1_000, 2_000, 3_000])
  expect(failure).toMatchObject({ status: 503, count: 3_000 })
})

it('reads no more pages once it is cancelled', async () => {
  servePages(130)
  const controller = new AbortController()
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (url: URL, { signal }: RequestInit) => {
    signal?.throwIfAborted()
    return fetch(url)
  })
  const told: number[] = []
  const progress = (count: number) => {
    told.push(count)
    if (count === 2_000) controller.abort()
  }
  const { signal } = controller
  const reading = { signal, progress }
  expect(await readPages(listRoleHolders, {}, () => {}, reading)).toMatchObject({ count: 2_000 })
  expect(told).toEqual([1_000, 2_000])
})

it('says why a list could not be read to its end, instead of saving a part', async () => {
  servePages(130, 120)
  const all = await readAll(listRoleHolders, { projectId: 'p' })
  expect(all).toMatchObject({ failure: { status: 503 } })
  expect(all).not.toHaveProperty('rows')
})
