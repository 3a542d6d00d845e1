import { useState } from 'preact/hooks'
import { texts } from './texts.js'

interface ButtonProps {
  readonly text: string
  readonly look?: 'primary' | 'danger' | 'quiet' | 'no-print' | undefined
  readonly isOff?: boolean | undefined
  readonly onClick: () => void
}

export const Button = ({ text, look, isOff, onClick }: ButtonProps) => (
  <button type="button" class={look} disabled={isOff} onClick={onClick}>
    {text}
  </button>
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
