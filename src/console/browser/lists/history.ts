import { useEffect, useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { Changes, Time } from '../parts/values.js'
import { call, type Failure, type Json, withQuery } from '../state/api.js'
import { texts } from '../texts.js'
import { RefLink } from './links.js'

export interface HistoryProps {
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly size?: string
  readonly isLive?: boolean
  /** Whether entries name their object. */
  readonly hasObjects?: boolean
}

const POLL_MS = 4000

const entriesOf = (body: Json): readonly Json[] => (body['entries'] ?? []) as readonly Json[]

/** Changes, the newest first; while it is live, new ones are put on top. */
export const HistoryList = ({
  path,
  query = {},
  size = '50',
  isLive = false,
  hasObjects = false,
}: HistoryProps) => {
  const asked = withQuery(path, { order: 'desc', page_size: size, ...query })
  const [state, setState] = useState<
    { asked: string; entries: readonly Json[]; before: string } | undefined
  >()
  const [failure, setFailure] = useState<Failure | undefined>()
  const [round, setRound] = useState(0)
  const isCurrent = state?.asked === asked
  const load = async (before: string) => {
    const outcome = await call({ method: 'GET', path: withQuery(asked, { before }) })
    if ('failure' in outcome) return setFailure(outcome.failure)
    setFailure(undefined)
    const { body } = outcome.ok
    setState({
      asked,
      entries: [...(before && state ? state.entries : []), ...entriesOf(body)],
      before: String(body['nextBefore'] ?? ''),
    })
  }
  useEffect(() => void load(''), [asked, round])
  useEffect(() => {
    if (!failure || (failure.status !== 0 && failure.status !== 503)) return
    const timer = setTimeout(() => setRound((last) => last + 1), 3000)
    return () => clearTimeout(timer)
  }, [failure])
  useEffect(() => {
    if (!isLive || !isCurrent) return
    const timer = setInterval(async () => {
      const after = String(state.entries[0]?.['sequence'] ?? '')
      const outcome = await call({
        method: 'GET',
        path: withQuery(path, { ...query, order: 'asc', page_size: '200', after }),
      })
      if (!('ok' in outcome)) return
      const fresh = [...entriesOf(outcome.ok.body)].reverse()
      if (fresh.length > 0) setState({ ...state, entries: [...fresh, ...state.entries] })
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [isLive, state, isCurrent])
  if (failure)
    return html`<${FailureNotice} failure=${failure} retry=${() => setRound((last) => last + 1)} />`
  if (!isCurrent) return html`<${Loading} />`
  if (state.entries.length === 0) return html`<p class="empty">${texts.noHistory}</p>`
  return html`<div><ol class="timeline">${state.entries.map(
    (entry) => html`<li key=${`${entry['sequence']}${(entry['object'] as Json)['roleKey'] ?? ''}`}>
      <p><strong>${texts.types[String(entry['type'])] ?? entry['type']}</strong> ${hasObjects && html`<${RefLink} object=${entry['object']} />`}
        <span class="none"> ${texts.who.toLowerCase()} <bdi>${String((entry['actor'] as Json)['userId'])}</bdi>, <${Time} at=${entry['time']} /></span></p>
      <${Changes} changes=${entry['changes'] ?? []} /></li>`,
  )}</ol>
    ${state.before && html`<button type="button" onClick=${() => void load(state.before)}>${texts.more}</button>`}</div>`
}
