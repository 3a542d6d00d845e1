import { useEffect, useRef, useState } from 'preact/hooks'
import { type ConsoleKind, kinds } from '../kinds.js'
import { call, type Failure, type Json, withQuery } from '../state/api.js'
import { href, parameter, setParameters } from '../state/router.js'
import { fieldName, texts } from '../texts.js'
import { html } from './html.js'
import { FailureNotice, Loading } from './notice.js'
import { Value } from './values.js'

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
  /** Raised to load anew. */
  readonly round?: number
}

const ROW = 40
const PAGE_SIZE = '500'

/** Orders by a column; those that are lists have no order. */
const isSortable = (column: string): boolean => !['roles', 'roleKeys', 'scopes'].includes(column)
const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A list of objects: filtered and sorted by the interface, loaded page by page, drawn as far as it is in sight. */
export const List = (props: ListProps) => {
  const { kind, path, items, columns, filters, prefix = '', label, round } = props
  const field = parameter(`${prefix}by`) || filters[0] || ''
  const text = parameter(`${prefix}filter`)
  const state = parameter(`${prefix}state`)
  const order = parameter(`${prefix}order`)
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
  const sort = (column: string) =>
    setParameters({
      [`${prefix}order`]: order === snake(column) ? `${snake(column)} desc` : snake(column),
    })
  const isFiltered = text !== '' || state !== ''
  return html`<section class="list">
    <div class="bar" role="search" aria-label=${label}>
      <select aria-label=${texts.field} value=${field} onChange=${(event: Event) => setParameters({ [`${prefix}by`]: (event.target as HTMLSelectElement).value })}>
        ${filters.map((name) => html`<option value=${name}>${fieldName(name)}</option>`)}</select>
      <input type="search" aria-label=${texts.filter} placeholder=${texts.filter} maxlength="200" dir="auto" value=${text}
        onInput=${(event: Event) => setParameters({ [`${prefix}filter`]: (event.target as HTMLInputElement).value })} />
      ${
        kind.hasState &&
        html`<select aria-label=${fieldName('state')} value=${state} onChange=${(event: Event) => setParameters({ [`${prefix}state`]: (event.target as HTMLSelectElement).value })}>
        <option value="">${texts.anyState}</option><option value="STATE_ACTIVE">${texts.values['STATE_ACTIVE']}</option><option value="STATE_INACTIVE">${texts.values['STATE_INACTIVE']}</option></select>`
      }
      ${rows && html`<span class="none" role="status">${texts.count(rows.length, total)}</span>`}
    </div>
    ${failure && html`<${FailureNotice} failure=${failure} retry=${retry} />`}
    ${!rows && !failure && html`<${Loading} />`}
    ${
      rows &&
      rows.length === 0 &&
      html`<p class="empty">${isFiltered ? texts.emptyFiltered : texts.empty}
      ${isFiltered && html` <button type="button" onClick=${() => setParameters({ [`${prefix}filter`]: '', [`${prefix}state`]: '' })}>${texts.clearFilter}</button>`}</p>`
    }
    ${rows && rows.length > 0 && html`<${Rows} ...${{ kind, columns, rows, total, label, order, sort, more }} />`}
  </section>`
}

const usePages = (path: string, items: string, round = 0) => {
  const [state, setState] = useState<
    { path: string; rows: readonly Json[]; token: string; total: number } | undefined
  >()
  const [failure, setFailure] = useState<Failure | undefined>()
  const [again, setAgain] = useState(0)
  const isLoading = useRef(false)
  const load = async (token: string, before: readonly Json[], isCurrent: () => boolean) => {
    isLoading.current = true
    const outcome = await call({ method: 'GET', path: withQuery(path, { page_token: token }) })
    isLoading.current = false
    if (!isCurrent()) return
    if ('failure' in outcome) return setFailure(outcome.failure)
    const { body } = outcome.ok
    const rows = [...before, ...((body[items] ?? []) as readonly Json[])]
    setFailure(undefined)
    setState({
      path,
      rows,
      token: String(body['nextPageToken'] ?? ''),
      total: Number(body['totalSize'] ?? rows.length),
    })
  }
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => void load('', [], () => isCurrent), state ? 150 : 0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [path, round, again])
  const isOut = failure && (failure.status === 0 || failure.status === 503)
  useEffect(() => {
    if (!isOut) return
    const timer = setTimeout(() => setAgain((last) => last + 1), 3000)
    return () => clearTimeout(timer)
  }, [isOut, failure])
  return {
    rows: failure ? undefined : state?.rows,
    total: state?.total ?? 0,
    failure,
    more: () => {
      if (state?.token && !isLoading.current) void load(state.token, state.rows, () => true)
    },
    retry: () => setAgain((last) => last + 1),
  }
}

interface RowsProps extends Pick<ListProps, 'kind' | 'columns' | 'label'> {
  readonly rows: readonly Json[]
  readonly total: number
  readonly order: string
  readonly sort: (column: string) => void
  readonly more: () => void
}

const Rows = ({ kind, columns, rows, total, label, order, sort, more }: RowsProps) => {
  const [top, setTop] = useState(0)
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setTop(currentTarget.scrollTop)
    if (currentTarget.scrollTop + currentTarget.clientHeight > (rows.length - 20) * ROW) more()
  }
  const first = Math.max(0, Math.floor(top / ROW) - 10)
  const drawn = rows.slice(first, first + 60)
  const after = rows.length - first - drawn.length
  const direction = (column: string) =>
    order === snake(column)
      ? 'ascending'
      : order === `${snake(column)} desc`
        ? 'descending'
        : 'none'
  return html`<div class="window" tabindex="0" role="region" aria-label=${label} onScroll=${onScroll}>
    <table aria-rowcount=${total + 1}><thead><tr aria-rowindex="1">${columns.map(
      (column) =>
        html`<th scope="col" aria-sort=${isSortable(column) ? direction(column) : undefined}>${
          isSortable(column)
            ? html`<button type="button" class="sort" onClick=${() => sort(column)}>${fieldName(column)}<span aria-hidden="true">${{ ascending: ' ↑', descending: ' ↓', none: '' }[direction(column)]}</span></button>`
            : fieldName(column)
        }</th>`,
    )}</tr></thead><tbody>
      ${first > 0 && html`<tr aria-hidden="true" style=${{ height: `${first * ROW}px` }}></tr>`}
      ${drawn.map(
        (row, index) =>
          html`<tr key=${first + index} aria-rowindex=${first + index + 2}>${columns.map(
            (column, at) =>
              html`<td>${at === 0 ? html`<${ObjectLink} kind=${kind} row=${row} text=${row[column]} />` : html`<${Value} of=${column.endsWith('Date') ? (row['details'] as Json)?.[column] : row[column]} />`}</td>`,
          )}</tr>`,
      )}
      ${after > 0 && html`<tr aria-hidden="true" style=${{ height: `${after * ROW}px` }}></tr>`}
    </tbody></table></div>`
}

/** A link to the page of an object. */
export const ObjectLink = ({
  kind,
  row,
  text,
}: {
  readonly kind: ConsoleKind
  readonly row: Json
  readonly text?: unknown
}) => {
  const ids = Object.fromEntries(
    kind.ids.map((id) => [id, row[id] === undefined ? undefined : String(row[id])]),
  )
  return html`<a href=${href(kind.page, ids)}><bdi>${String(text || ids[kind.ids.at(-1) ?? ''] || kind.title)}</bdi></a>`
}

/** A link to the object of a reference, such as one in history. */
export const RefLink = ({ object }: { readonly object: Json }) => {
  const kind = kinds.find(({ type }) => type === object['type'])
  const text =
    object['userId'] ??
    object['roleKey'] ??
    object['grantedOrgId'] ??
    object['idpId'] ??
    object['id'] ??
    object['domain']
  return kind
    ? html`<${ObjectLink} kind=${kind} row=${object} text=${text} />`
    : html`<bdi>${String(text ?? '')}</bdi>`
}
