import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './button.js'
import { texts } from './texts.js'

/** What was done, and what undoes it: returns what to say of that, if it was not undone as a whole. */
interface Done {
  readonly text: string
  readonly undo?: (() => Promise<string | undefined>) | undefined
}

const status = signal<Done | undefined>(undefined)

/** Says what was done. It stays until the next, or until another page is opened. */
export const tell = (text: string, undo?: Done['undo']): void => {
  status.value = { text, undo }
}

export const untell = (): void => {
  status.value = undefined
}

const undo = async (): Promise<void> => {
  const { value } = status
  if (!value?.undo) return
  status.value = { text: texts.saving }
  const problem = await value.undo()
  status.value = { text: problem ?? texts.undone }
}

const isTyping = (element: Element | null): boolean =>
  element?.matches('input:not([type=checkbox],[type=radio]), textarea, select') ?? false

/** Whether a key press is Ctrl+Z, or Command+Z, outside of a field, which has an undo of its own. */
const isUndo = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'z' &&
  (event.ctrlKey || event.metaKey) &&
  !event.shiftKey &&
  !isTyping(document.activeElement) &&
  !document.querySelector('dialog[open]')

/** The line that says what was done last, with a button that undoes it. */
export const StatusLine = () => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!status.value?.undo || !isUndo(event)) return
      event.preventDefault()
      void undo()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const { value } = status
  return (
    <div class="status">
      <div role="status">{value && <p>{value.text}</p>}</div>
      {value?.undo && (
        <button type="button" aria-keyshortcuts="Control+Z" title="Ctrl+Z" onClick={undo}>
          {texts.undo}
        </button>
      )}
      {value && <Button text={texts.close} look="quiet" onClick={untell} />}
    </div>
  )
}
