import { signal as signalOf } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { WireMethod } from '../../transport/wire.js'
import {
  call,
  type Failure,
  type Json,
  type Outcome,
  type Pages,
  pagesOf,
  pathOf,
  rowsIn,
  type StoredObject,
  withQuery,
} from './api.js'

/** The result of reading a path, and functions to read more. */
export interface Query<Row = Json> {
  /** The last page that was read, or the whole answer; undefined until it arrives, and if it could not be read. */
  readonly body: Json | undefined
  /** The rows of all pages that were read; undefined until the first arrives, and if it could not be read. */
  readonly rows: readonly Row[] | undefined
  readonly failure: Failure | undefined
  /** Whether the first page is being read, or read again. */
  readonly isReading: boolean
  readonly hasMore: boolean
  /** Reads the next page and appends its rows. Does nothing while a page is being read. */
  readonly more: () => void
  /** Reads the first page again. */
  readonly reload: () => void
}

export interface QueryOptions<Row> {
  readonly pages?: Pages
  /** The path that answers the rows newer than `newest`, the oldest first. They are put on top, every four seconds. */
  readonly live?: ((newest: Row | undefined) => string) | undefined
  /** Keeps the rows of the last path until those of the next arrive, and waits until typing pauses. */
  readonly keep?: boolean
}

const rounds = signalOf(0)

/** Reads everything on the page again, after a change. The old content stays until the new arrives. */
export const reloadAll = (): void => {
  rounds.value++
}

const POLL_MS = 4000
/** Rows up to which new ones are added to those that were read. */
const MOST_LIVE = 500
const RETRY_MS = 3000
const TYPING_MS = 150

interface State<Row> {
  readonly path: string
  readonly round: number
  readonly body?: Json
  /** Undefined if the first page could not be read. */
  readonly rows?: readonly Row[] | undefined
  /** Cursor of the next page; empty after the last. */
  readonly next: string
  readonly failure?: Failure
}

/**
 * Reads a path, again when it changes, and automatically after an outage. A change of the path aborts the previous
 * request, so that no late response mixes with the new one. Without a path it reads nothing.
 */
export const useQuery = <Row = Json>(
  path: string | undefined,
  { pages, live, keep = false }: QueryOptions<Row> = {},
): Query<Row> => {
  const [state, setState] = useState<State<Row> | undefined>()
  const [own, setRound] = useState(0)
  const round = own + rounds.value
  const reload = () => setRound((last) => last + 1)
  const reading = useRef({ signal: AbortSignal.abort(), isBusy: true })

  const read = async (cursor: string) => {
    const { current } = reading
    const { signal } = current
    if (path === undefined) return
    current.isBusy = true
    const outcome = await readPage(path, { pages, cursor, signal })
    if (signal.aborted) return
    current.isBusy = false
    if ('failure' in outcome) {
      const { failure } = outcome
      // The rows that are there stay when the page after them cannot be read.
      setState((last) =>
        cursor && last ? { ...last, failure } : { path, round, next: '', failure },
      )
      return
    }
    const { body } = outcome
    const found = pages ? rowsIn<Row>(body, pages) : []
    const next = pages ? String(body[pages.next] ?? '') : ''
    setState((last) => {
      const read = { path, round, body, next }
      if (!cursor || !last?.rows) return { ...read, rows: found }
      // A page that was asked for twice, between two drawings, is added once.
      return last.next === cursor ? { ...read, rows: [...last.rows, ...found] } : last
    })
  }

  useEffect(() => {
    if (path === undefined) return
    const controller = new AbortController()
    reading.current = { signal: controller.signal, isBusy: true }
    const timer = setTimeout(() => void read(''), keep && state ? TYPING_MS : 0)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [path, round])

  const current = state?.path === path ? state : undefined
  const displayed = keep ? state : current
  const more = () => {
    if (current?.next && !reading.current.isBusy) void read(current.next)
  }
  useOutage(displayed?.failure, displayed?.rows ? more : reload)
  const newest = state?.rows?.[0]
  useLive(current?.rows ? live?.(newest) : undefined, (body) => {
    const fresh = pages ? rowsIn<Row>(body, pages).toReversed() : []
    // After a reload the rows may begin with another one, and the next poll asks for what is newer than that.
    setState((last) => {
      if (!last?.rows || last.path !== path || last.rows[0] !== newest) return last
      // A page that is open for days does not grow: the oldest rows are read again by the button for more.
      const most = Math.max(MOST_LIVE, last.rows.length)
      const rows = [...fresh, ...last.rows].slice(0, most)
      const isCut = rows.length < fresh.length + last.rows.length
      return { ...last, rows, ...(isCut && { next: String(Object(rows.at(-1))['sequence']) }) }
    })
  })
  return {
    body: displayed?.body,
    rows: displayed?.rows,
    failure: displayed?.failure,
    isReading: path !== undefined && current?.round !== round,
    hasMore: current !== undefined && current.next !== '',
    more,
    reload,
  }
}

interface PageRead {
  readonly pages: Pages | undefined
  readonly cursor: string
  readonly signal: AbortSignal
}

/** Reads a page, or the first after it that has rows: one may be empty before the last. */
const readPage = async (path: string, { pages, cursor, signal }: PageRead): Promise<Outcome> => {
  const address = pages ? withQuery(path, { [pages.cursor]: cursor }) : path
  const outcome = await call({ method: 'GET', path: address, signal })
  if ('failure' in outcome || !pages || rowsIn(outcome.body, pages).length > 0) return outcome
  const next = String(outcome.body[pages.next] ?? '')
  return next ? readPage(path, { pages, cursor: next, signal }) : outcome
}

/** Reads the rows of a list; nothing without parameters. Empty parameters are left out. */
export const useRows = <Row = StoredObject>(
  operation: WireMethod,
  parameters: Json | undefined,
  options: Omit<QueryOptions<Row>, 'pages'> = {},
): Query<Row> =>
  useQuery(parameters && pathOf(operation, parameters), { ...options, pages: pagesOf(operation) })

/** Tries again after an outage, at the latest when the browser is back online. */
const useOutage = (failure: Failure | undefined, retry: () => void): void => {
  useEffect(() => {
    if (failure?.status !== 0 && failure?.status !== 503) return
    const timer = setTimeout(retry, RETRY_MS)
    window.addEventListener('online', retry)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', retry)
    }
  }, [failure])
}

/** Reads `path` again and again, one call at a time. A call that fails is ignored: the next one finds what it missed. */
const useLive = (path: string | undefined, take: (body: Json) => void): void => {
  useEffect(() => {
    if (path === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async () => {
      timer = undefined
      const outcome = await call({ method: 'GET', path, signal })
      if (signal.aborted) return
      if ('body' in outcome) take(outcome.body)
      wait()
    }
    // Nobody sees a hidden tab.
    const wait = () => {
      if (!document.hidden) timer ??= setTimeout(poll, POLL_MS)
    }
    wait()
    document.addEventListener('visibilitychange', wait)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wait)
      controller.abort()
    }
  }, [path])
}
