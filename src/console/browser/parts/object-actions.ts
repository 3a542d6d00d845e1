import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { Write } from '../forms/write.js'
import { WriteDialog } from '../forms/write-dialog.js'
import type { ConsoleKind } from '../kinds.js'
import { type Call, type Json, withQuery } from '../state/api.js'
import { usePermitted } from '../state/permitted.js'
import { go } from '../state/router.js'
import { texts } from '../texts.js'
import { html } from './html.js'
import { Denied } from './notice.js'

/** Something else that is done to an object, by those who may change it. */
export type Tool = ComponentType<{ readonly ids: Json }>

interface ObjectActionsProps {
  readonly kind: ConsoleKind
  readonly ids: Json
  readonly object: Json
  /** Page to go to when the object is removed. */
  readonly back: string
  readonly done: () => void
  readonly tool?: Tool | undefined
}

const isInactive = (object: Json): boolean => object['state'] === 'STATE_INACTIVE'

/** A write that would change nothing even if it were recorded: its dry run tells whether one is permitted. */
const probeOf = (kind: ConsoleKind, ids: Json, object: Json): Call => {
  if (kind.update === 'PATCH')
    return { method: 'PATCH', path: kind.path(ids), body: { validateOnly: true } }
  if (kind.hasState) {
    const path = kind.below(ids, isInactive(object) ? ':deactivate' : ':reactivate')
    return { method: 'POST', path: withQuery(path, { validate_only: 'true' }) }
  }
  const same = Object.fromEntries(
    kind.form
      .filter(({ name, isNew }) => !isNew && object[name] !== undefined)
      .map(({ name }) => [name, object[name]]),
  )
  const path = kind.below(ids, kind.updateBelow ?? '')
  return { method: kind.update, path, body: { ...same, validateOnly: true } }
}

/** What may be done to an object, or why nothing may. */
export const ObjectActions = (props: ObjectActionsProps) => {
  const { kind, ids, object, back, done, tool } = props
  const [write, setWrite] = useState<Write | undefined>()
  const permitted = usePermitted(probeOf(kind, ids, object))
  if (permitted === 'unknown') return null
  if (permitted !== 'yes') return html`<${Denied} failure=${permitted} />`

  const path = kind.path(ids)
  const etag = `"${String((object['details'] as Json)['sequence'])}"`
  const common = { seen: object, etag, readPath: path, answer: kind.answer }
  const edit = () =>
    setWrite({
      ...common,
      title: texts.edit,
      method: kind.update,
      path: kind.updateBelow ? kind.below(ids, kind.updateBelow) : path,
      fields: kind.form.filter(({ isNew }) => !isNew),
    })
  const act = (title: string, method: string, target: string) => () =>
    setWrite({ ...common, title, method, path: target, fields: [], hasBody: false })
  const [turn, below] = isInactive(object)
    ? [texts.reactivate, ':reactivate']
    : [texts.deactivate, ':deactivate']
  const step = kind.step?.state === object['state'] ? kind.step : undefined
  const close = (isDone: boolean) => {
    const isRemoved = isDone && write?.method === 'DELETE'
    setWrite(undefined)
    if (isRemoved) go(back)
    else if (isDone) done()
  }
  const button = (title: string, onClick: () => void, look = '') =>
    html`<button type="button" class=${look} onClick=${onClick}>${title}</button>`
  return html`<div class="actions start">
      ${button(texts.edit, edit)}
      ${kind.hasState && button(turn, act(turn, 'POST', kind.below(ids, below)))}
      ${step && button(step.title, act(step.title, 'POST', kind.below(ids, step.below)), 'primary')}
      ${button(texts.remove, act(texts.remove, 'DELETE', path), 'danger')}
    </div>
    ${tool && html`<${tool} ids=${ids} />`}
    ${write && html`<${WriteDialog} write=${write} close=${close} />`}`
}
