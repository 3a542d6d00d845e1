import type { Violation } from '../index.js'

/** What is wrong with a name that stands there more than once. */
export const twice = (field: string): Violation => ({
  field,
  description: 'must not be given twice',
})

/** A text, with the colon behind it if it is a name, or one of the signs that JSON is built with. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g

/** An object or a list that has begun and not yet ended. */
interface Open {
  readonly isList: boolean
  readonly names: Set<string>
  /** Of the member that one is at. */
  name: string
  /** Of the item that one is at. */
  index: number
}

/** The path of the first name that its object has already, in JSON that is well-formed. */
export const doubledName = (json: string): string | undefined => {
  const open: Open[] = []
  for (const [token, quoted = '', colon] of json.matchAll(TOKEN)) {
    const innermost = open.at(-1)
    if (token === '{' || token === '[')
      open.push({ isList: token === '[', names: new Set(), name: '', index: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (innermost && token === ',') innermost.index++
    else if (innermost && colon !== undefined) {
      innermost.name = JSON.parse(quoted)
      if (innermost.names.has(innermost.name)) return pathOf(open)
      innermost.names.add(innermost.name)
    }
  }
  return undefined
}

const pathOf = (open: readonly Open[]): string =>
  open
    .map(({ isList, index, name }) => (isList ? `[${index}]` : `.${name}`))
    .join('')
    .slice(1)
