import type { WriteStream } from 'node:tty'

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>

/** Where a command prints to. */
export interface Terminal {
  /**
   * Prints a line of the result, exactly as given. Resolves when it is written, or when nobody reads the output.
   *
   * @throws Error when it cannot be written
   */
  readonly print: (line: string) => Promise<void>
  /** Prints a line for people, beside the result, without passwords and control characters. */
  readonly note: (line: string) => void
  /** Whether progress is shown in place, as on a terminal and not in a log. */
  readonly isInPlace: boolean
  /** Shows the progress of long work, in place, if this is a terminal. */
  readonly progress: (text: string) => void
  /** Text in bold, where the terminal has that and `NO_COLOR` is not set. */
  readonly bold: (text: string) => string
}

/** Streams and hooks of a terminal. */
interface TerminalOptions {
  readonly out: Output
  readonly notes: Output
  /** Removes secrets from notes. */
  readonly mask: (text: string) => string
  /** Called when the reader of `out` has closed it, as `head` does. */
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
  // Faults are reported by the writes themselves.
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
    isInPlace: hasProgress,
    progress: (text) => {
      if (!hasProgress) return
      notes.write(`\r\u001b[K${text}`)
      isShown = true
    },
    bold: (text) => (hasBold ? `\u001b[1m${text}\u001b[22m` : text),
  }
}

/** Characters that control a terminal or reorder its text. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text that is safe on a terminal: one line, with control characters as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replaceAll(CONTROLS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const ADDRESS = /\b[a-z][\w+.-]*:\/\/[^\s'"`]+/gi
const SIGNER = /PRIVATE\+KEY\+\S*/g

/** `scheme://user:`, then the password up to the last `@`. */
const PASSWORD = /^([a-z][\w+.-]*:\/\/[^:@/?#]*):(.*)@/is
const PARAMETER = /([?&](?:ssl)?password=)([^&]*)/gi

/** Shorter ones would be found in ordinary words. */
const MIN_PASSWORD_LENGTH = 4

const maskAddress = (address: string): string =>
  address.replace(PASSWORD, '$1:***@').replaceAll(PARAMETER, '$1***')

const passwordsIn = (address: string): readonly string[] => {
  const named = [...address.matchAll(PARAMETER)].map(([, , password]) => password)
  return [PASSWORD.exec(address)?.[2], ...named]
    .flatMap((password = '') => [password, decoded(password)])
    .filter(({ length }) => length >= MIN_PASSWORD_LENGTH)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Removes the passwords of addresses and signer keys from texts. The passwords in `given`, the arguments of the command
 * line, are removed wherever they stand.
 */
export const masking = (given: readonly string[]): ((text: string) => string) => {
  const passwords = given.flatMap(passwordsIn)
  return (text) => {
    const masked = text.replaceAll(ADDRESS, maskAddress).replaceAll(SIGNER, 'PRIVATE+KEY+***')
    return passwords.reduce((shown, password) => shown.replaceAll(password, '***'), masked)
  }
}
