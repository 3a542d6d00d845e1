import type { ConsoleKind } from '../kinds.js'
import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { withQuery } from '../state/api.js'
import { usePages } from '../state/pages.js'
import { parameter, setParameters } from '../state/router.js'
import { fieldName, texts } from '../texts.js'
import { isSortable, Rows, snake } from './rows.js'

export interface ListProps {
  readonly kind: ConsoleKind
  /** Where the interface has the list. */
  readonly path: string
  /** Name of the list in an answer. */
  readonly items: string
  readonly columns: readonly string[]
  /** Fields of text that the list is filtered by. */
  readonly filters: readonly string[]
  /** Begins the names of parameters, where a page has several lists. */
  readonly prefix?: string
  readonly label: string
  /** What to do where nothing is there. */
  readonly empty?: string
  /** Whether the objects are of other organizations, and have no pages here. */
  readonly isForeign?: boolean
  /** Raised to load anew. */
  readonly round?: number
}

const PAGE_SIZE = '500'

/** A list of objects: filtered and sorted by the interface, loaded page by page. */
export const List = (props: ListProps) => {
  const { kind, path, items, columns, filters, prefix = '', label, round, isForeign } = props
  const field = oneOf(filters, parameter(`${prefix}by`)) ?? filters[0] ?? ''
  const text = parameter(`${prefix}filter`)
  const state = oneOf(kind.states ?? [], parameter(`${prefix}state`)) ?? ''
  const order = oneOf(ordersOf(columns), parameter(`${prefix}order`)) ?? ''
  const asked = withQuery(path, {
    page_size: PAGE_SIZE,
    order_by: order,
    ...(text && {
      [`filter.${snake(field)}.contains`]: text,
      [`filter.${snake(field)}.ignore_case`]: 'true',
    }),
    'filter.state': state,
  })
  const { rows, total, failure, more, retry } = usePages(asked, items, round)
  const sort = (column: string) => {
    const ascending = snake(column)
    setParameters({ [`${prefix}order`]: order === ascending ? `${ascending} desc` : ascending })
  }
  const set = (name: string) => (event: Event) =>
    setParameters({ [`${prefix}${name}`]: (event.target as HTMLInputElement).value })
  const clear = () => setParameters({ [`${prefix}filter`]: '', [`${prefix}state`]: '' })
  const isFiltered = text !== '' || state !== ''
  return html`<section class="list">
    <div class="bar" role="search" aria-label=${label}>
      <select aria-label=${texts.field} value=${field} onChange=${set('by')}>
        ${filters.map((name) => html`<option value=${name}>${fieldName(name)}</option>`)}
      </select>
      <input type="search" aria-label=${texts.filter} placeholder=${texts.filter} maxlength="200" dir="auto"
        value=${text} onInput=${set('filter')} />
      ${kind.states && html`<${StateChoice} states=${kind.states} state=${state} onChange=${set('state')} />`}
      ${rows && html`<span class="none" role="status">${texts.count(rows.length, total)}</span>`}
    </div>
    ${failure && html`<${FailureNotice} failure=${failure} retry=${retry} />`}
    ${!rows && !failure && html`<${Loading} />`}
    ${
      rows?.length === 0 &&
      html`<p class="empty">${isFiltered ? texts.emptyFiltered : (props.empty ?? texts.empty)}
        ${isFiltered && html` <button type="button" onClick=${clear}>${texts.clearFilter}</button>`}</p>`
    }
    ${
      rows &&
      rows.length > 0 &&
      html`<${Rows} ...${{ kind, columns, rows, total, label, order, sort, more, isForeign }} />`
    }
  </section>`
}

/** A URL may have anything; what is not offered is left out. */
const oneOf = (offered: readonly string[], text: string): string | undefined =>
  offered.find((each) => each === text)

const ordersOf = (columns: readonly string[]): readonly string[] =>
  columns.filter(isSortable).flatMap((column) => [snake(column), `${snake(column)} desc`])

interface StateChoiceProps {
  readonly states: readonly string[]
  readonly state: string
  readonly onChange: (event: Event) => void
}

const StateChoice = ({ states, state, onChange }: StateChoiceProps) =>
  html`<select aria-label=${fieldName('state')} value=${state} onChange=${onChange}>
    <option value="">${texts.anyState}</option>
    ${states.map((value) => html`<option value=${value}>${texts.values['state']?.[value]}</option>`)}
  </select>`
