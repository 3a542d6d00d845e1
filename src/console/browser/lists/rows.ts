import { useState } from 'preact/hooks'
import type { ConsoleKind } from '../kinds.js'
import { html } from '../parts/html.js'
import { Value } from '../parts/values.js'
import type { Json } from '../state/api.js'
import { fieldName } from '../texts.js'
import { ObjectLink } from './links.js'

/** Height of a row, in pixels; the style sheet has it too. */
const ROW = 40
/** Rows that are drawn at a time. */
const DRAWN = 60

interface RowsProps {
  readonly kind: ConsoleKind
  readonly columns: readonly string[]
  readonly label: string
  readonly rows: readonly Json[]
  readonly total: number
  /** Column that the rows are ordered by, and `desc` where they are. */
  readonly order: string
  readonly sort: (column: string) => void
  readonly more: () => void
  readonly isForeign?: boolean | undefined
}

/** Columns in the interface are in snake case. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The rows of a list, drawn as far as they are in sight. */
export const Rows = (props: RowsProps) => {
  const { kind, columns, rows, total, label, order, sort, more, isForeign } = props
  const [top, setTop] = useState(0)
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setTop(currentTarget.scrollTop)
    if (currentTarget.scrollTop + currentTarget.clientHeight > (rows.length - 20) * ROW) more()
  }
  const first = Math.max(0, Math.min(Math.floor(top / ROW) - 10, rows.length - DRAWN))
  const drawn = rows.slice(first, first + DRAWN)
  const after = rows.length - first - drawn.length
  return html`<div class="window" tabindex="0" role="region" aria-label=${label} onScroll=${onScroll}>
    <table aria-rowcount=${total + 1}>
      <thead>
        <tr aria-rowindex="1">
          ${columns.map((column) => html`<${Heading} key=${column} column=${column} order=${order} sort=${sort} />`)}
        </tr>
      </thead>
      <tbody>
        ${first > 0 && html`<tr aria-hidden="true" style=${{ height: `${first * ROW}px` }}></tr>`}
        ${drawn.map(
          (row, index) =>
            html`<tr key=${first + index} aria-rowindex=${first + index + 2}>
              ${columns.map((column, at) => html`<td>${cell(kind, row, { column, isLink: at === 0 && !isForeign })}</td>`)}
            </tr>`,
        )}
        ${after > 0 && html`<tr aria-hidden="true" style=${{ height: `${after * ROW}px` }}></tr>`}
      </tbody>
    </table>
  </div>`
}

const cell = (
  kind: ConsoleKind,
  row: Json,
  { column, isLink }: { readonly column: string; readonly isLink: boolean },
) => {
  if (isLink) return html`<${ObjectLink} kind=${kind} row=${row} text=${row[column]} />`
  const isDate = column.endsWith('Date')
  const value = isDate ? (row['details'] as Json)?.[column] : row[column]
  return html`<${Value} of=${value} field=${column} />`
}

/** Lists have no order. */
export const isSortable = (column: string): boolean =>
  !['roles', 'roleKeys', 'scopes'].includes(column)

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' }

interface HeadingProps extends Pick<RowsProps, 'order' | 'sort'> {
  readonly column: string
}

const Heading = ({ column, order, sort }: HeadingProps) => {
  if (!isSortable(column)) return html`<th scope="col">${fieldName(column)}</th>`
  const name = snake(column)
  const direction = order === name ? 'ascending' : order === `${name} desc` ? 'descending' : 'none'
  return html`<th scope="col" aria-sort=${direction}>
    <button type="button" class="sort" onClick=${() => sort(column)}>${fieldName(column)}<span aria-hidden="true">${ARROWS[direction]}</span></button>
  </th>`
}
