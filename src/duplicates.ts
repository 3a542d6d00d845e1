/** A name that its object has already. */
interface Duplicate {
  /** Such as `roles[1].roleKey`. */
  readonly path: string
  /** Where it stands in the text. */
  readonly at: number
}

/** An object or a list that the scan is within. */
interface Open {
  readonly isList: boolean
  /** The names in an object, once it has any. */
  names?: Set<string>
  /** Of an object: the current member. */
  name: string
  /** Of a list: the current item. */
  index: number
}

/** The first name that its object has already, in JSON that is well-formed. */
export const firstDuplicate = (json: string): Duplicate | undefined => {
  const open: Open[] = []
  for (let index = 0; index < json.length; index++) {
    const sign = json[index]
    const current = open.at(-1)
    if (sign === '{' || sign === '[') open.push({ isList: sign === '[', name: '', index: 0 })
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === ',' && current) current.index++
    else if (sign === '"') {
      const end = endOfText(json, index)
      if (current && isName(json, end + 1) && !isNew(current, json.slice(index, end + 1)))
        return { path: pathOf(open), at: index }
      index = end
    }
  }
  return undefined
}

/** The index of the quotation mark that ends the text which begins at `start`. */
const endOfText = (json: string, start: number): number => {
  let end = start + 1
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1
  return end
}

/** Whether the text before `from` is a name: a colon follows. */
const isName = (json: string, from: number): boolean => {
  let index = from
  while (json.charCodeAt(index) <= SPACE) index++
  return json[index] === ':'
}

/** No white space of JSON is above it. */
const SPACE = 0x20

/** Makes the member with this name the current one. */
const isNew = (object: Open, quoted: string): boolean => {
  object.name = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
  object.names ??= new Set()
  return object.names.size < object.names.add(object.name).size
}

const pathOf = (open: readonly Open[]): string =>
  open
    .map(({ isList, index, name }) => (isList ? `[${index}]` : `.${name}`))
    .join('')
    .slice(1)
