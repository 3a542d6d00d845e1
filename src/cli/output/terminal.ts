import type { WriteStream } from 'node:tty'
import { printable } from './printable.js'

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>

/** Where a command prints to. */
export interface Terminal {
  /**
   * A line of the result, exactly as given. Resolves when it is written, and when nobody reads any more. @throws
   * Error when it cannot be written
   */
  readonly print: (line: string) => Promise<void>
  /** A line for people, beside the result. Without passwords and control characters. */
  readonly note: (line: string) => void
  /** How far long work is; shown on a terminal alone, in place. */
  readonly progress: (text: string) => void
  /** Text in bold, where the terminal has that and `NO_COLOR` is not set. */
  readonly bold: (text: string) => string
}

/** What a terminal writes to. */
export interface TerminalOptions {
  readonly out: Output
  readonly notes: Output
  /** Takes secrets out of notes. */
  readonly mask: (text: string) => string
  /** Called when the reader of `out` has enough, as `head` does. */
  readonly onReaderGone: () => void
}

/** @see Terminal */
export const openTerminal = ({ out, notes, mask, onReaderGone }: TerminalOptions): Terminal => {
  const isSmart = process.env['TERM'] !== 'dumb'
  const hasBold = out.isTTY === true && isSmart && !process.env['NO_COLOR']
  const hasProgress = notes.isTTY === true && isSmart
  let hasReader = true
  let isShown = false
  const clear = (): void => {
    if (isShown) notes.write('\r\u001b[K')
    isShown = false
  }
  // What fails is reported where it is written.
  for (const stream of [out, notes]) stream.on('error', () => undefined)
  return {
    print: (line) =>
      new Promise((resolve, reject) => {
        if (!hasReader) return resolve()
        clear()
        out.write(`${line}\n`, (fault?: NodeJS.ErrnoException | null) => {
          if (fault && fault.code !== 'EPIPE')
            return reject(new Error(`The output cannot be written (${fault.code})`))
          if (fault && hasReader) {
            hasReader = false
            onReaderGone()
          }
          resolve()
        })
      }),
    note: (line) => {
      clear()
      notes.write(`${mask(line).split('\n').map(printable).join('\n')}\n`)
    },
    progress: (text) => {
      if (!hasProgress) return
      notes.write(`\r\u001b[K${text}`)
      isShown = true
    },
    bold: (text) => (hasBold ? `\u001b[1m${text}\u001b[22m` : text),
  }
}
