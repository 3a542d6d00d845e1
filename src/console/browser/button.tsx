import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from './texts.js'

interface ButtonProps {
  readonly text: string
  readonly look?: 'primary' | 'danger' | 'primary danger' | 'quiet' | 'no-print' | undefined
  readonly isOff?: boolean | undefined
  /** Without it, the button submits its form. */
  readonly onClick?: () => void
}

/** A button. While it is off, a press does nothing, but it keeps the focus. */
export const Button = ({ text, look, isOff, onClick }: ButtonProps) => (
  <button
    type={onClick ? 'button' : 'submit'}
    class={look}
    aria-disabled={isOff || undefined}
    onClick={isOff ? (event) => event.preventDefault() : onClick}
  >
    {text}
  </button>
)

interface OpenerProps extends Pick<ButtonProps, 'text' | 'look'> {
  readonly dialog: (close: () => void) => ComponentChildren
}

/** A button that opens a dialog. */
export const Opener = ({ dialog, ...button }: OpenerProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}

interface FlagProps {
  readonly id?: string
  /** The flags of a group exclude each other; absent where each is chosen alone. */
  readonly group?: string
  readonly isOn: boolean
  readonly change: (isOn: boolean) => void
  readonly children: ComponentChildren
}

/** Something that is chosen or not. */
export const Flag = ({ id, group, isOn, change, children }: FlagProps) => (
  <label class="flag">
    <input
      type={group ? 'radio' : 'checkbox'}
      id={id}
      name={group}
      checked={isOn}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
    <span>{children}</span>
  </label>
)

/** Copies a text, and says so. */
export const CopyButton = ({ text }: { readonly text: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <button type="button" class="copy" onClick={copy} onBlur={() => setCopied(false)}>
      <span role="status">{isCopied ? texts.copied : texts.copy}</span>
    </button>
  )
}
