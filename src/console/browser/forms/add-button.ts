import { useState } from 'preact/hooks'
import type { ConsoleKind } from '../kinds.js'
import { html } from '../parts/html.js'
import { Denied } from '../parts/notice.js'
import type { Json } from '../state/api.js'
import { usePermitted } from '../state/permitted.js'
import { texts } from '../texts.js'
import type { Write } from './write.js'
import { WriteDialog } from './write-dialog.js'

/** Where objects are added. */
export interface Adding {
  readonly path: string
  /** Fields that are sent with those of the form. */
  readonly fixed?: Json
  /** Whether a caller may add some, which only the preview can tell; otherwise all or none. */
  readonly isForSome?: boolean
}

interface AddButtonProps extends Adding {
  readonly kind: ConsoleKind
  readonly done: () => void
}

/** A button that opens the form of a new object; where it is not permitted, the reason. */
export const AddButton = ({ kind, path, fixed, isForSome, done }: AddButtonProps) => {
  const [isOpen, setOpen] = useState(false)
  // Refused in any case: for the permission, or else for the missing fields.
  const probe = { method: 'POST', path, body: { ...fixed, validateOnly: true } }
  const permitted = usePermitted(isForSome ? undefined : probe)
  if (permitted === 'unknown') return null
  if (permitted !== 'yes') return html`<${Denied} failure=${permitted} isNew />`
  const fields = kind.form
    .filter(({ name, isLater }) => !isLater && fixed?.[name] === undefined)
    .map((field) => (field.as === 'secret' ? { ...field, least: 1 } : field))
  const title = `${texts.add}: ${kind.title}`
  const write: Write = { title, method: 'POST', path, fields, ...(fixed && { fixed }) }
  const close = (isDone: boolean) => {
    setOpen(false)
    if (isDone) done()
  }
  return html`<button type="button" class="primary" onClick=${() => setOpen(true)}>${texts.add}</button>
    ${isOpen && html`<${WriteDialog} write=${write} close=${close} />`}`
}
