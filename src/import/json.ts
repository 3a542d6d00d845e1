import { firstDuplicate } from '../duplicates.js'

/**
 * Parses JSON text, in which no object has a name twice: one of the two values would be lost.
 *
 * @throws SyntaxError that says the line and the column of the fault, and quotes nothing of the text
 */
export const parseJson = (source: string | Uint8Array): unknown => {
  const text = textOf(source)
  const parsed = parsedIn(text)
  const duplicate = firstDuplicate(text)
  if (duplicate) throw new SyntaxError(`It has a name twice: ${placeIn(text, duplicate.at)}`)
  return parsed
}

const parsedIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SyntaxError(`It is not JSON: ${placeIn(text, faultIn(text))}`)
  }
}

const placeIn = (text: string, at: number): string => {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/)
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

/** Text without a byte order mark. Bytes are UTF-8, or UTF-16 if their mark says so. */
export const textOf = (source: string | Uint8Array): string => {
  if (typeof source === 'string') return source.replace(/^\uFEFF/, '')
  const [first, second] = source
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(source)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(source)
  return new TextDecoder().decode(source)
}

/** White space, then a bracket, a separator, a text, a number or a word; the latter may be missing. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a text
  /([ \t\r\n]*)([[\]{},:]|"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))?/y

/** Finds where text stops being JSON. Not every engine says it, nor for every fault. */
const faultIn = (text: string): number => {
  const closing: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const [, space = '', token = ''] = TOKEN.exec(text) ?? []
    at += space.length
    const next = after(token, expected, closing)
    if (next === undefined) return at
    expected = next
    at += token.length
  }
}

/** What comes next: `first` ones may also be the end of an empty list or object. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'end'

/** What comes after a token; undefined when the token is not expected. */
const after = (token: string, expected: Expected, closing: string[]): Expected | undefined => {
  if (token === ']' || token === '}') {
    const isEmpty = expected === (token === ']' ? 'first value' : 'first name')
    return (isEmpty || expected === 'end') && closing.pop() === token ? 'end' : undefined
  }
  switch (expected) {
    case 'end':
      if (token !== ',' || closing.length === 0) return undefined
      return closing.at(-1) === ']' ? 'value' : 'name'
    case 'colon':
      return token === ':' ? 'value' : undefined
    case 'name':
    case 'first name':
      return token.startsWith('"') ? 'colon' : undefined
    case 'value':
    case 'first value':
      if (token === '[' || token === '{') closing.push(token === '[' ? ']' : '}')
      if (token === '[') return 'first value'
      if (token === '{') return 'first name'
      return token === '' || token === ',' || token === ':' ? undefined : 'end'
  }
}
