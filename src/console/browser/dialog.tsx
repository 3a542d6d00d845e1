import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.js'
import { texts } from './texts.js'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  /** Until its promise is settled, nothing is submitted again. */
  readonly submit: () => void | Promise<void>
  /** The button that submits. While it is off, nothing is submitted, but it keeps the focus. */
  readonly done?: {
    readonly text: string
    readonly isOff?: boolean
    readonly isDangerous?: boolean
  }
  /** Goes back to the fields, from a preview. */
  readonly back?: (() => void) | undefined
  /** Whether something was typed or picked: *Escape* then asks before it is lost. */
  readonly isFilled?: boolean
  /** Name of the button that closes it. */
  readonly leave?: string
  readonly children: ComponentChildren
}

/** A dialog with a form. It gives the focus back to what it was opened by. */
export const Dialog = (props: DialogProps) => {
  const {
    title,
    close,
    submit,
    done,
    back,
    isFilled = false,
    leave = texts.cancel,
    children,
  } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const isSubmitting = useRef(false)
  const [isAsking, setAsking] = useState(false)
  useLayoutEffect(() => {
    const { current } = dialog
    const opener = document.activeElement
    current?.showModal()
    // The focus may lie on a field below the title, which would then be out of sight.
    current?.scrollTo(0, 0)
    return () => {
      current?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        // The event of a field within, such as of a file, is not the dialog's.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (isFilled && !isAsking) setAsking(true)
        else close()
      }}
    >
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (isSubmitting.current) return
          isSubmitting.current = true
          try {
            await submit()
          } finally {
            isSubmitting.current = false
          }
        }}
      >
        <h2 id="dialog-title">
          <bdi>{title}</bdi>
        </h2>
        {children}
        {isAsking && (
          <p class="notice" role="alert">
            {texts.escapeAgain}
          </p>
        )}
        <div class="actions">
          <Button text={leave} onClick={close} />
          {back && <Button text={texts.back} onClick={back} />}
          {done && (
            <Button
              text={done.text}
              look={done.isDangerous ? 'primary danger' : 'primary'}
              isOff={done.isOff}
            />
          )}
        </div>
      </form>
    </dialog>
  )
}

/**
 * Keeps the focus on the page: when the element that has it goes, such as a button that was pressed, it would fall to
 * nothing, and a screen reader to the top.
 */
export const keepFocus = (): void => {
  let last: Element | null = null
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : null
  })
  new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return
    const dialog = document.querySelector('dialog[open]')
    const next = dialog?.querySelector<HTMLElement>('.actions button:last-child')
    ;(next ?? document.getElementById('main'))?.focus({ preventScroll: !dialog })
  }).observe(document.body, { childList: true, subtree: true })
}
