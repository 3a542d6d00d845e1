import type { Violation } from '../../index.js'

/** What is wrong with a field that is given more than once. */
export const GIVEN_TWICE = 'must not be given twice'

/** The violation of a field that is given more than once. */
export const duplicateField = (field: string): Violation => ({ field, description: GIVEN_TWICE })

/** An object or a list that has begun and not yet ended. */
interface Open {
  readonly isList: boolean
  /** Of an object, once it has any. */
  names?: Set<string>
  /** Of the member that one is at. */
  name: string
  /** Of the item that one is at. */
  index: number
}

/** The path of the first name that its object has already, in JSON that is well-formed. */
export const firstDuplicate = (json: string): string | undefined => {
  const open: Open[] = []
  for (let index = 0; index < json.length; index++) {
    const sign = json.charCodeAt(index)
    if (sign <= SPACE) continue
    if (sign === QUOTE) {
      const end = endOfText(json, index)
      if (isName(json, end + 1) && !isNew(nameOf(json.slice(index, end + 1)), open.at(-1)))
        return pathOf(open)
      index = end
    } else if (sign === OPEN_OBJECT || sign === OPEN_LIST)
      open.push({ isList: sign === OPEN_LIST, name: '', index: 0 })
    else if (sign === CLOSE_OBJECT || sign === CLOSE_LIST) open.pop()
    else if (sign === COMMA) nextItem(open.at(-1))
  }
  return undefined
}

/** Goes on to the member with this name. */
const isNew = (name: string, object: Open | undefined): boolean => {
  if (!object) return true
  object.name = name
  object.names ??= new Set()
  return object.names.size < object.names.add(name).size
}

const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20

const nextItem = (list: Open | undefined): void => {
  if (list) list.index++
}

/** Where the quotation mark is that ends the text which begins at `start`. */
const endOfText = (json: string, start: number): number => {
  let end = start + 1
  while (json.charCodeAt(end) !== QUOTE) end += json.charCodeAt(end) === BACKSLASH ? 2 : 1
  return end
}

/** Whether a text is a name: the next character that is no white space is a colon. */
const isName = (json: string, from: number): boolean => {
  let index = from
  while (json.charCodeAt(index) <= SPACE) index++
  return json.charCodeAt(index) === COLON
}

const nameOf = (quoted: string): string =>
  quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)

const pathOf = (open: readonly Open[]): string =>
  open
    .map(({ isList, index, name }) => (isList ? `[${index}]` : `.${name}`))
    .join('')
    .slice(1)
