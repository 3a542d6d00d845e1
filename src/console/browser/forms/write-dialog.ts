import { useLayoutEffect, useRef } from 'preact/hooks'
import { html } from '../parts/html.js'
import { FailureNotice } from '../parts/notice.js'
import { Changes } from '../parts/values.js'
import type { Failure } from '../state/api.js'
import { texts } from '../texts.js'
import { Conflict } from './conflict.js'
import { Field } from './field.js'
import { useWrite, type Write } from './write.js'

interface WriteDialogProps {
  readonly write: Write
  readonly close: (isDone: boolean) => void
}

/** Messages about a field or a part of it. */
const messagesOf = (failure: Failure | undefined, name: string): Failure['violations'] =>
  failure?.violations.filter(
    ({ field }) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`),
  ) ?? []

/** A dialog that previews a write, then sends it. */
export const WriteDialog = ({ write, close }: WriteDialogProps) => {
  const { title, fields, seen } = write
  const { written, change, failure, preview, now, isBusy, goBack, tryOut, save } = useWrite(write)
  const dialog = useRef<HTMLDialogElement>(null)
  const hasFields = fields.length > 0
  // Before anything can be typed: a dialog that is not open takes no focus.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    if (!hasFields) void tryOut()
  }, [])
  const onSubmit = async (event: Event) => {
    event.preventDefault()
    if (!preview) return tryOut()
    if (await save(preview)) close(true)
  }
  const isOfNoField = fields.every(({ name }) => messagesOf(failure, name).length === 0)
  const submit = preview
    ? hasFields
      ? texts.save
      : texts.confirm
    : now
      ? texts.useYours
      : texts.preview
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${() => close(false)}>
    <form onSubmit=${onSubmit} novalidate>
      <h2 id="dialog-title">${title}</h2>
      ${
        !preview &&
        fields.map(
          (
            field,
          ) => html`<${Field} key=${field.name} field=${field} text=${written[field.name] ?? ''}
            isKept=${seen !== undefined} messages=${messagesOf(failure, field.name)}
            change=${(text: string) => change(field.name, text)} />`,
        )
      }
      ${now && html`<${Conflict} fields=${fields} seen=${seen} now=${now} written=${written} />`}
      ${failure && !now && isOfNoField && html`<${FailureNotice} failure=${failure} />`}
      ${
        preview &&
        html`<div class="preview" role="status">
          <p>${preview.changes.length > 0 ? texts.willChange : texts.noChange}</p>
          <${Changes} changes=${preview.changes} />
        </div>`
      }
      <div class="actions">
        <button type="button" onClick=${() => dialog.current?.close()}>${texts.cancel}</button>
        ${preview && hasFields && html`<button type="button" onClick=${goBack}>${texts.back}</button>`}
        <button type="submit" class="primary" disabled=${isBusy || preview?.changes.length === 0}>${submit}</button>
      </div>
    </form>
  </dialog>`
}
