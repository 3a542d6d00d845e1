import { useEffect, useRef, useState } from 'preact/hooks'
import { call, type Failure, type Json, withQuery } from './api.js'

/** The pages of a list that were loaded so far. */
export interface LoadedPages {
  readonly rows?: readonly Json[] | undefined
  readonly total: number
  readonly hasMore: boolean
  readonly failure?: Failure | undefined
  /** Loads the next page, and puts it after the others. */
  readonly more: () => void
  readonly retry: () => void
}

interface State {
  readonly path: string
  readonly rows: readonly Json[]
  readonly token: string
  readonly total: number
}

/** A list by its path, page by page; after an outage, tries again by itself. Until a new path is loaded, the rows stay. */
export const usePages = (path: string, items: string, round = 0): LoadedPages => {
  const [state, setState] = useState<State | undefined>()
  const [failure, setFailure] = useState<Failure | undefined>()
  const [again, setAgain] = useState(0)
  const isLoading = useRef(false)
  const load = async (from: string, before: State | undefined, isCurrent: () => boolean) => {
    isLoading.current = true
    const token = before?.token ?? ''
    const outcome = await call({ method: 'GET', path: withQuery(from, { page_token: token }) })
    isLoading.current = false
    if (!isCurrent()) return
    if ('failure' in outcome) return setFailure(outcome.failure)
    const { body } = outcome.ok
    const rows = [...(before?.rows ?? []), ...((body[items] ?? []) as readonly Json[])]
    setFailure(undefined)
    const total = Number(body['totalSize'] ?? rows.length)
    setState({ path: from, rows, token: String(body['nextPageToken'] ?? ''), total })
  }
  useEffect(() => {
    let isCurrent = true
    // While somebody types into the filter, only the last of the paths is asked for.
    const timer = setTimeout(() => void load(path, undefined, () => isCurrent), state ? 150 : 0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [path, round, again])
  const isOut = failure && (failure.status === 0 || failure.status === 503)
  useEffect(() => {
    if (!isOut) return
    const timer = setTimeout(() => setAgain((last) => last + 1), 3000)
    return () => clearTimeout(timer)
  }, [isOut, failure])
  return {
    rows: failure ? undefined : state?.rows,
    total: state?.total ?? 0,
    hasMore: state?.token !== undefined && state.token !== '',
    failure,
    more: () => {
      if (state?.token && !isLoading.current) void load(path, state, () => true)
    },
    retry: () => setAgain((last) => last + 1),
  }
}
