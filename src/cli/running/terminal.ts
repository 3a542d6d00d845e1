import { once } from 'node:events'
import type { WriteStream } from 'node:tty'

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>

/** Where a command prints to. */
export interface Terminal {
  /** A line of the result. Waits while the reader is slower. */
  readonly print: (line: string) => Promise<void>
  /** A line for people, beside the result. */
  readonly note: (line: string) => void
  /** How far long work is; shown on a terminal alone, in place. */
  readonly progress: (text: string) => void
  /** Text in bold, where the terminal has that and `NO_COLOR` is not set. */
  readonly bold: (text: string) => string
}

/** @see Terminal */
export const openTerminal = (
  out: Output,
  notes: Output,
  mask: (text: string) => string,
): Terminal => {
  let isShown = false
  const clear = (): void => {
    if (isShown) notes.write('\r\u001b[K')
    isShown = false
  }
  const hasColor = out.isTTY === true && !process.env['NO_COLOR']
  return {
    print: async (line) => {
      clear()
      if (!out.write(`${mask(line)}\n`)) await once(out, 'drain')
    },
    note: (line) => {
      clear()
      notes.write(`${mask(line)}\n`)
    },
    progress: (text) => {
      if (notes.isTTY !== true) return
      notes.write(`\r\u001b[K${text}`)
      isShown = true
    },
    bold: (text) => (hasColor ? `\u001b[1m${text}\u001b[22m` : text),
  }
}
