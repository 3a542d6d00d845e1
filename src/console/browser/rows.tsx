import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { WireMethod } from '../../transport/wire.js'
import type { Json, StoredObject } from './api.js'
import { ObjectLink, Value } from './display.js'
import { RolesOf, UserLink } from './names.js'
import type { ObjectType } from './object-types.js'
import { fieldName } from './texts.js'

/** A list of objects of one type. */
export interface ListSpec {
  readonly type: ObjectType
  readonly operation: WireMethod
  /** Parameters of the operation besides those that the reader chooses. */
  readonly parameters?: Json
  readonly columns: readonly string[]
  /** Fields of text that the list is filtered by. */
  readonly filters: readonly string[]
  /** Begins the names of parameters, where a page has several lists. */
  readonly prefix?: string
  readonly label: string
  /** Text for an empty list. */
  readonly empty?: string
  /** Whether the objects belong to other organizations, and have no pages here. */
  readonly isForeign?: boolean
}

/** Up to this many rows a list is as long as its rows, and the page scrolls. */
const FEW = 50
/** Height of a row, in pixels; the style sheet has it too. */
const ROW = 40

/**
 * Which rows of a table are drawn: all of a few and on paper, else `most` around those in sight. Their height is fixed
 * then.
 */
export const useDrawn = (count: number, most: number, more = () => {}) => {
  const [top, setTop] = useState(0)
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = () => setPrinting(true)
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setTop(currentTarget.scrollTop)
    if (currentTarget.scrollTop + currentTarget.clientHeight > (count - 20) * ROW) more()
  }
  const isWindow = count > FEW && !isPrinting
  const size = isPrinting ? count : isWindow ? most : FEW
  const first = Math.max(0, Math.min(Math.floor(top / ROW) - 10, count - size))
  return { onScroll, isWindow, first, end: Math.min(count, first + size) }
}

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  /** The text of its head; beside the value where a row is a card. */
  readonly title: string
  /** The head, where it is more than the title. */
  readonly head?: ComponentChildren
  readonly sorted?: 'ascending' | 'descending' | 'none' | undefined
  readonly cell: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Of all pages; undefined when it is not known. Default: that of `rows`. */
  readonly total?: number | undefined
  readonly more?: (() => void) | undefined
}

/** A table of any length, drawn as far as it is in sight. On a phone the rows of a short one are cards. */
export const Table = <Row,>({ label, columns, rows, more, ...props }: TableProps<Row>) => {
  const { onScroll, isWindow, first, end } = useDrawn(rows.length, 60, more)
  const total = 'total' in props ? props.total : rows.length
  return (
    <section
      class={isWindow ? 'window' : 'wide few'}
      tabIndex={0}
      aria-label={label}
      onScroll={onScroll}
    >
      <table aria-rowcount={total === undefined ? -1 : total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, title, head = title, sorted }) => (
              <th key={name} scope="col" aria-sort={sorted}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} />
          {rows.slice(first, end).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              {columns.map(({ name, title, cell }) => (
                <td key={name} data-label={title}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - end} />
        </tbody>
      </table>
    </section>
  )
}

interface RowsProps {
  readonly list: ListSpec
  readonly rows: readonly StoredObject[]
  /** Undefined when it is not known. */
  readonly total: number | undefined
  /** Column that the rows are ordered by, in snake case, and ` desc` where they are. */
  readonly order: string
  readonly sort: (column: string) => void
  readonly more: () => void
}

/** The rows of a list. */
export const Rows = ({ list, order, sort, ...table }: RowsProps) => {
  const { type, columns, label, isForeign } = list
  // A user has a page of all roles; the project beside the user leads to the roles in it.
  const naming = columns[0] === 'userId' ? 1 : 0
  const cell = (row: StoredObject, column: string, at: number) => {
    const { userId } = row
    if (column === 'userId' && userId) return <UserLink id={String(userId)} />
    if (at === naming && !isForeign) return <ObjectLink type={type} row={row} field={column} />
    const values: Json = { ...row.details, ...row }
    return <Value of={values[column]} field={column} row={row} />
  }
  return (
    <Table
      {...table}
      label={label}
      columns={columns.map((column, at) => ({
        ...headOf(column, order, sort),
        cell: (row: StoredObject) => <RolesOf object={row}>{cell(row, column, at)}</RolesOf>,
      }))}
    />
  )
}

/** Stands in for rows that are not drawn. */
export const Gap = ({ rows }: { readonly rows: number }) =>
  rows > 0 ? <tr aria-hidden="true" style={{ height: `${rows * ROW}px` }} /> : null

/** Columns in the interface are in snake case. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Lists have no order. */
export const isSortable = (column: string): boolean =>
  !['roles', 'roleKeys', 'groups', 'scopes', 'permissions'].includes(column)

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' }

/** The head of a column, with a button that sorts by it. */
const headOf = (column: string, order: string, sort: RowsProps['sort']) => {
  const title = fieldName(column)
  if (!isSortable(column)) return { name: column, title }
  const name = snake(column)
  const sorted: keyof typeof ARROWS =
    order === name ? 'ascending' : order === `${name} desc` ? 'descending' : 'none'
  const head = (
    <button type="button" class="sort" onClick={() => sort(name)}>
      {title}
      <span aria-hidden="true">{ARROWS[sorted]}</span>
    </button>
  )
  return { name: column, title, head, sorted }
}
