import type { WriteStream } from 'node:tty'

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>

/** A line, or its parts; bold parts are shown if the terminal supports it and `NO_COLOR` is not set. */
export type Line = string | readonly (string | { readonly bold: string })[]

/** The output of a command. Every text passes here, so that none controls the terminal. */
export interface Terminal {
  /**
   * Prints lines of the result with escaped line breaks and control characters. Resolves when they are written, or when
   * nobody reads the output.
   *
   * @throws Error when they cannot be written
   */
  readonly print: (...lines: readonly Line[]) => Promise<void>
  readonly printJson: (value: unknown) => Promise<void>
  /** Prints a JSON text; a file or another program gets it unchanged. */
  readonly printEvidence: (json: string) => Promise<void>
  /** Prints a text for people to the other stream, without passwords and control characters. */
  readonly note: (text: string) => void
  /** Whether progress is shown in place, as on a terminal and not in a log. */
  readonly isInPlace: boolean
  /** Shows the progress of long work, in place, if this is a terminal. */
  readonly progress: (text: string) => void
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
  let isVisible = false
  const clear = (): void => {
    if (isVisible) notes.write('\r\u001b[K')
    isVisible = false
  }
  // Faults are reported by the writes themselves.
  for (const stream of [out, notes]) stream.on('error', () => undefined)
  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!hasReader) return resolve()
      clear()
      out.write(`${text}\n`, (fault?: NodeJS.ErrnoException | null) => {
        if (fault && fault.code !== 'EPIPE')
          return reject(new Error(`The output cannot be written (${fault.code})`))
        if (fault && hasReader) {
          hasReader = false
          onReaderGone()
        }
        resolve()
      })
    })
  const inBold = (text: string) => (hasBold ? `\u001b[1m${text}\u001b[22m` : text)
  const formatLine = (line: Line): string =>
    typeof line === 'string'
      ? printable(line)
      : line
          .map((part) =>
            typeof part === 'string' ? printable(part) : inBold(printable(part.bold)),
          )
          .join('')
  return {
    print: (...lines) => write(lines.map(formatLine).join('\n')),
    printJson: (value) => write(printableJson(JSON.stringify(value))),
    printEvidence: (json) => write(out.isTTY ? printableJson(json) : json),
    note: (text) => {
      clear()
      // Indented, so that foreign text does not look like a message.
      notes.write(`${mask(text).split('\n').map(printable).join('\n    ')}\n`)
    },
    isInPlace: hasProgress,
    progress: (text) => {
      if (!hasProgress) return
      notes.write(`\r\u001b[K${printable(text)}`)
      isVisible = true
    },
  }
}

/** Characters that control a terminal or reorder its text. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text that is safe on a terminal: one line, with control characters as `\u{1b}`. */
const printable = (text: string): string =>
  text.replaceAll(CONTROLS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** The same JSON without control characters, which stand in strings alone. */
const printableJson = (json: string): string =>
  json.replaceAll(CONTROLS, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  )

const ADDRESS = /\b[a-z][\w+.-]*:\/\/[^\s'"`]+/gi
const SIGNER = /PRIVATE\+KEY\+\S*/g

/** `scheme://user:`, then the password up to the last `@`. */
const PASSWORD = /^([a-z][\w+.-]*:\/\/[^:@/?#]*):(.*)@/is
const PARAMETER = /([?&](?:ssl)?password=)([^&]*)/gi
/** The password of an address whose scheme is malformed, and of one that lists `password=…`. */
const MALFORMED_ADDRESS = /^(?:[a-z][\w+.-]*:)?[^:@]*:(.*)@/is
const LISTED = /((?:^|\s)(?:ssl)?password\s*=\s*)(?:'((?:\\.|[^'\\])*)'?|([^\s']\S*))/gi

/** Shorter ones would be found in ordinary words. */
const MIN_PASSWORD_LENGTH = 4

const maskAddress = (address: string): string =>
  address.replace(PASSWORD, '$1:***@').replaceAll(PARAMETER, '$1***')

const passwordsIn = (address: string): readonly string[] => {
  const named = [...address.matchAll(PARAMETER)].map(([, , password]) => password)
  const listed = [...address.matchAll(LISTED)].flatMap(([, , quoted, plain]) => {
    const written = quoted ?? plain ?? ''
    return [written, written.replaceAll(/\\(.)/g, '$1')]
  })
  const whole = PASSWORD.exec(address)?.[2] ?? MALFORMED_ADDRESS.exec(address)?.[1]
  return [whole, ...named, ...listed]
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
 * Removes the passwords of addresses and signer keys from texts. The passwords in `args`, the arguments of the command
 * line, are removed wherever they stand.
 */
export const masking = (args: readonly string[]): ((text: string) => string) => {
  const passwords = args.flatMap(passwordsIn)
  return (text) => {
    const masked = text
      .replaceAll(ADDRESS, maskAddress)
      .replaceAll(LISTED, '$1***')
      .replaceAll(SIGNER, 'PRIVATE+KEY+***')
    return passwords.reduce((output, password) => output.replaceAll(password, '***'), masked)
  }
}
