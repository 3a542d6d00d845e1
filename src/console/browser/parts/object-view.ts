import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleKind } from '../kinds.js'
import type { Json } from '../state/api.js'
import { useLoad } from '../state/load.js'
import { go, parameter, setParameters } from '../state/router.js'
import { fieldName, texts } from '../texts.js'
import { type Write, WriteDialog } from './form.js'
import { HistoryList } from './history.js'
import { html } from './html.js'
import { FailureNotice, Loading } from './notice.js'
import { Time, Value } from './values.js'

/** The page of an object: as it is or was, what may be done to it, and its history. */
export const ObjectView = ({
  kind,
  back,
  children,
}: {
  readonly kind: ConsoleKind
  readonly back: string
  readonly children?: ComponentChildren
}) => {
  const ids: Json = Object.fromEntries(kind.ids.map((id) => [id, parameter(id)]))
  const at = parameter('at')
  const path = kind.path(ids)
  const { answer, failure, reload } = useLoad(
    at
      ? `${kind.below(ids, '/history/state')}${path.includes('?') ? '&' : '?'}sequence=${encodeURIComponent(at)}`
      : path,
  )
  const [write, setWrite] = useState<Write | undefined>()
  const [round, setRound] = useState(0)
  const found = answer?.body[kind.answer] as Json | undefined
  const object = found && withRecordName(found)
  const close = (isDone: boolean) => {
    const isRemoved = isDone && write?.method === 'DELETE'
    setWrite(undefined)
    if (isRemoved) return go(back)
    if (isDone) {
      reload()
      setRound((last) => last + 1)
    }
  }
  const etag = object ? `"${String((object['details'] as Json)['sequence'])}"` : undefined
  const common = { seen: object, etag, readPath: path, answer: kind.answer, title: '' }
  const edit = (): Write => ({
    ...common,
    title: texts.edit,
    method: kind.update,
    path: kind.updateBelow ? kind.below(ids, kind.updateBelow) : path,
    fields: kind.form.filter(({ isNew }) => !isNew),
  })
  const act = (title: string, method: string, target: string): Write => ({
    ...common,
    title,
    method,
    path: target,
    fields: [],
    hasBody: false,
  })
  const isActive = object?.['state'] !== 'STATE_INACTIVE'
  return html`<article>
    <p class="kind">${kind.title}</p>
    <h1><bdi>${String(object?.[kind.shown[0] ?? ''] ?? ids[kind.ids.at(-1) ?? ''] ?? '')}</bdi> ${object && kind.hasState && html`<${Value} of=${object['state']} />`}</h1>
    <${AsOf} key=${round} path=${kind.below(ids, '/history')} at=${at} />
    ${failure && (at && failure.status === 404 ? html`<p class="empty">${texts.missingThen}</p>` : html`<${FailureNotice} failure=${failure} retry=${reload} />`)}
    ${!answer && !failure && html`<${Loading} />`}
    ${
      object &&
      html`<dl class="facts">${kind.shown.map((field) => html`<div key=${field}><dt>${fieldName(field)}</dt><dd><${Value} of=${object[field]} /></dd></div>`)}
      ${['creationDate', 'changeDate'].map((field) => html`<div key=${field}><dt>${fieldName(field)}</dt><dd><${Value} of=${(object['details'] as Json)[field]} /></dd></div>`)}</dl>`
    }
    ${
      object &&
      !at &&
      html`<div class="actions start">
      <button type="button" onClick=${() => setWrite(edit())}>${texts.edit}</button>
      ${kind.hasState && html`<button type="button" onClick=${() => setWrite(isActive ? act(texts.deactivate, 'POST', kind.below(ids, ':deactivate')) : act(texts.reactivate, 'POST', kind.below(ids, ':reactivate')))}>${isActive ? texts.deactivate : texts.reactivate}</button>`}
      ${kind.step && object['state'] === kind.step.state && html`<button type="button" class="primary" onClick=${() => setWrite(act(kind.step?.title ?? '', 'POST', kind.below(ids, kind.step?.below ?? '')))}>${kind.step.title}</button>`}
      <button type="button" class="danger" onClick=${() => setWrite(act(texts.remove, 'DELETE', path))}>${texts.remove}</button></div>`
    }
    ${write && html`<${WriteDialog} write=${write} close=${close} />`}
    ${!at && children}
    <h2>${texts.history}</h2>
    <${HistoryList} key=${round} path=${kind.below(ids, '/history')} isLive=${!at} />
  </article>`
}

/** A domain that is to be proven, with the name of the record that proves it. */
const withRecordName = (object: Json): Json =>
  object['challenge']
    ? { ...object, recordName: `_claviger-challenge.${String(object['domain'])}` }
    : object

/** Chooses one of the changes of an object, to show it as it was right after. */
const AsOf = ({ path, at }: { readonly path: string; readonly at: string }) => {
  const { answer } = useLoad(`${path}${path.includes('?') ? '&' : '?'}page_size=1000&order=desc`)
  const entries = [...((answer?.body['entries'] ?? []) as readonly Json[])].reverse()
  if (entries.length < 2) return null
  const last = entries.length - 1
  const index = at
    ? Math.max(
        0,
        entries.findIndex(({ sequence }) => sequence === at),
      )
    : last
  const onInput = (event: Event) => {
    const chosen = Number((event.target as HTMLInputElement).value)
    setParameters({ at: chosen === last ? '' : String(entries[chosen]?.['sequence']) })
  }
  return html`<div class="as-of"><label for="as-of">${texts.asOf}</label>
    <input id="as-of" type="range" min="0" max=${last} step="1" value=${index} onInput=${onInput} title=${texts.asOfHint} />
    <span>${at ? html`<${Time} at=${entries[index]?.['time']} /> <button type="button" onClick=${() => setParameters({ at: '' })}>${texts.backToNow}</button>` : texts.asOfNow}</span></div>`
}

/** A button that opens the form of a new object, and shows its page when it is there. */
export const AddButton = ({
  kind,
  path,
  fixed,
  done,
}: {
  readonly kind: ConsoleKind
  readonly path: string
  readonly fixed?: Json
  readonly done: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const fields = kind.form
    .filter(({ name, isLater }) => !isLater && fixed?.[name] === undefined)
    .map((field) => (field.as === 'secret' ? { ...field, least: 1 } : field))
  const write: Write = {
    title: `${texts.add}: ${kind.title}`,
    method: 'POST',
    path,
    fields,
    ...(fixed && { fixed }),
  }
  return html`<button type="button" class="primary" onClick=${() => setOpen(true)}>${texts.add}</button>
    ${
      isOpen &&
      html`<${WriteDialog} write=${write} close=${(isDone: boolean) => {
        setOpen(false)
        if (isDone) done()
      }} />`
    }`
}
