import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Answer, call, type Failure } from './api.js'

/** What a page has loaded. */
export interface Loaded {
  readonly answer?: Answer
  readonly failure?: Failure
  readonly reload: () => void
}

/** Reads a path, anew when it changes; after an outage, tries again by itself. */
export const useLoad = (path: string | undefined): Loaded => {
  const [state, setState] = useState<{
    path?: string | undefined
    answer?: Answer
    failure?: Failure
  }>({})
  const [round, setRound] = useState(0)
  const reload = useCallback(() => setRound((last) => last + 1), [])
  useEffect(() => {
    if (path === undefined) return
    let isCurrent = true
    void call({ method: 'GET', path }).then((outcome) => {
      if (!isCurrent) return
      setState('ok' in outcome ? { path, answer: outcome.ok } : { path, failure: outcome.failure })
    })
    return () => {
      isCurrent = false
    }
  }, [path, round])
  const isOut = state.failure?.status === 0 || state.failure?.status === 503
  useEffect(() => {
    if (!isOut) return
    const timer = setTimeout(reload, 3000)
    window.addEventListener('online', reload)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', reload)
    }
  }, [isOut, state, reload])
  const { answer, failure } = state.path === path ? state : {}
  return { ...(answer && { answer }), ...(failure && { failure }), reload }
}
