/** An object as a table row would keep it: what a plain create-read-update-delete program knows. */
export interface Row {
  readonly life: 'never was' | 'alive' | 'gone'
  readonly active: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a command does to a {@link Row}. */
export type Effect =
  | { readonly does: 'create'; readonly fields: object }
  | { readonly does: 'change'; readonly fields: object }
  | { readonly does: 'switch'; readonly active: boolean }
  | { readonly does: 'remove' }
  /** Changes `fields` when field `name` still is `expected`. */
  | {
      readonly does: 'swap'
      readonly name: string
      readonly expected: unknown
      readonly fields: object
    }
  /** Changes some items of field `name`, a record. */
  | { readonly does: 'give'; readonly name: string; readonly items: object }
  /** Takes some items of field `name`; with the last one the row is gone. */
  | { readonly does: 'take'; readonly name: string; readonly keys: readonly string[] }

/** What became of a command. */
export type Outcome = 'NotFound' | 'AlreadyExists' | 'changed' | 'unchanged'

export const emptyRow: Row = { life: 'never was', active: false, fields: {} }

const change = (row: Row, changed: Partial<Row>): readonly [Outcome, Row] => {
  const next = { ...row, ...changed }
  return [JSON.stringify(next) === JSON.stringify(row) ? 'unchanged' : 'changed', next]
}

const GONE: Row = { life: 'gone', active: false, fields: {} }

/** `items` in one order, whatever the order they were given in. */
export const inOrder = (items: object): object =>
  Object.fromEntries(Object.entries(items).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/**
 * Applies `effect`.
 *
 * @param keepsIds - whether the id of what is gone can never be used again
 */
export const applyTo = (row: Row, effect: Effect, keepsIds: boolean): readonly [Outcome, Row] => {
  const isFree = keepsIds ? row.life === 'never was' : row.life !== 'alive'
  if (effect.does === 'create')
    return isFree
      ? ['changed', { life: 'alive', active: true, fields: { ...effect.fields } }]
      : ['AlreadyExists', row]
  if (row.life !== 'alive') return ['NotFound', row]
  switch (effect.does) {
    case 'remove':
      return ['changed', GONE]
    case 'switch':
      return change(row, { active: effect.active })
    case 'change':
      return change(row, { fields: { ...row.fields, ...effect.fields } })
    case 'swap':
      if (row.fields[effect.name] !== effect.expected) return ['unchanged', row]
      return ['changed', { ...row, fields: { ...row.fields, ...effect.fields } }]
    case 'give': {
      const items = inOrder({ ...itemsOf(row, effect.name), ...effect.items })
      return change(row, { fields: { ...row.fields, [effect.name]: items } })
    }
    case 'take': {
      const items = Object.entries(itemsOf(row, effect.name))
      const left = items.filter(([key]) => !effect.keys.includes(key))
      if (left.length === 0) return ['changed', GONE]
      return change(row, { fields: { ...row.fields, [effect.name]: Object.fromEntries(left) } })
    }
  }
}

const itemsOf = ({ fields }: Row, name: string): object => ({ ...Object(fields[name]) })
