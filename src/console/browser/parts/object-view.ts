import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleKind } from '../kinds.js'
import { HistoryList } from '../lists/history.js'
import { type Json, withQuery } from '../state/api.js'
import { useLoad } from '../state/load.js'
import { parameter } from '../state/router.js'
import { fieldName, texts } from '../texts.js'
import { AsOf } from './as-of.js'
import { html } from './html.js'
import { FailureNotice, Loading } from './notice.js'
import { ObjectActions, type Tool } from './object-actions.js'
import { Value } from './values.js'

interface ObjectViewProps {
  readonly kind: ConsoleKind
  /** Page to go to when the object is removed. */
  readonly back: string
  readonly tool?: Tool
  readonly children?: ComponentChildren
}

/** The page of an object: as it is or was, what may be done to it, and its history. */
export const ObjectView = ({ kind, back, tool, children }: ObjectViewProps) => {
  const ids: Json = Object.fromEntries(kind.ids.map((id) => [id, parameter(id)]))
  const at = parameter('at')
  const history = kind.below(ids, '/history')
  const past = withQuery(kind.below(ids, '/history/state'), { sequence: at })
  const { answer, failure, reload } = useLoad(at ? past : kind.path(ids))
  const [round, setRound] = useState(0)
  const found = answer?.body[kind.answer] as Json | undefined
  const object = found && withRecordName(found)
  const done = () => {
    reload()
    setRound((last) => last + 1)
  }
  const title = object?.[kind.shown[0] ?? ''] ?? ids[kind.ids.at(-1) ?? ''] ?? ''
  const isMissingThen = at !== '' && failure?.status === 404
  return html`<article>
    <p class="kind">${kind.title}</p>
    <h1><bdi>${String(title) || texts.none}</bdi> ${object && kind.hasState && html`<${Value} of=${object['state']} field="state" />`}</h1>
    <${AsOf} key=${round} path=${history} at=${at} />
    ${isMissingThen && html`<p class="empty">${texts.missingThen}</p>`}
    ${failure && !isMissingThen && html`<${FailureNotice} failure=${failure} retry=${reload} />`}
    ${!answer && !failure && html`<${Loading} />`}
    ${object && html`<${Facts} kind=${kind} object=${object} />`}
    ${object && !at && html`<${ObjectActions} ...${{ kind, ids, object, back, done, tool }} />`}
    ${!at && failure?.status !== 404 && children}
    <h2>${texts.history}</h2>
    <${HistoryList} key=${round} path=${history} isLive=${!at} />
  </article>`
}

const Facts = ({ kind, object }: { readonly kind: ConsoleKind; readonly object: Json }) => {
  const details = object['details'] as Json
  const facts = [
    ...kind.shown.map((field) => [field, object[field]] as const),
    ...['creationDate', 'changeDate'].map((field) => [field, details[field]] as const),
  ]
  return html`<dl class="facts">
    ${facts.map(([field, value]) => html`<div key=${field}><dt>${fieldName(field)}</dt><dd><${Value} of=${value} field=${field} /></dd></div>`)}
  </dl>`
}

/** A domain that is to be proven, with the name of the record that proves it. */
const withRecordName = (object: Json): Json =>
  object['challenge']
    ? { ...object, recordName: `_claviger-challenge.${String(object['domain'])}` }
    : object
