import type { Json, JsonValue, StoredObject } from './api.js'
import { Button } from './button.js'
import { Choice, SearchField } from './choice.js'
import { WriteButton } from './form.js'
import { nameOf, personOf, providerNameOf, roleNameOf } from './known.js'
import { projectIn, projectTitleOf } from './names.js'
import { Waiting } from './notice.js'
import type { ObjectType } from './object-types.js'
import { usePermission } from './permissions.js'
import { type Query, useRows } from './query.js'
import { parameter, setParameters } from './router.js'
import { isSortable, type ListSpec, Rows, snake } from './rows.js'
import { fieldName, say, texts } from './texts.js'
import { fieldsOf } from './write.js'

interface SectionProps {
  readonly list: ListSpec
  /** Ids of the object that new objects lie in. Absent: none is added here. */
  readonly add?: Json
  /** Title of the page, where the list is all that it has. */
  readonly title?: string
}

/** A list, with a button for a new object. */
export const Section = ({ list, add, title }: SectionProps) => {
  const query = useList(list)
  return (
    <section>
      <header>
        {title ? <h1>{title}</h1> : <h2>{list.label}</h2>}
        {add && <AddButton type={list.type} ids={add} />}
      </header>
      <List list={list} query={query} />
    </section>
  )
}

interface AddButtonProps {
  readonly type: ObjectType
  readonly ids: Json
  readonly text?: string
}

/** A button that opens the form of a new object, or the permission that the caller lacks. */
export const AddButton = ({ type, ids, text = texts.add }: AddButtonProps) => {
  const isAllowed = usePermission(type.permission)
  if (isAllowed === undefined) return null
  if (!isAllowed) return <p class="none">{say(texts.addNeeds, { permission: type.permission })}</p>
  const { add: operation } = type.operations
  const title = texts.addOf[type.type] ?? type.title
  const write = { title, operation, ids, fields: fieldsOf(operation, type.form) }
  return <WriteButton text={text} look="primary" write={write} />
}

const PAGE_SIZE = '500'

/** What is read of a list, and how it is filtered. */
export interface ListQuery extends Query<StoredObject> {
  /** Whether all rows are here, so that any text in them is found. */
  readonly isWhole: boolean
  /** Whether the list has no rows at all. */
  readonly isEmpty: boolean
}

/** Reads a list, filtered and sorted as the parameters of the page say. */
export const useList = (list: ListSpec): ListQuery => {
  const { operation, parameters, columns } = list
  const { text, field, state, order } = choiceOf(list)
  const filter = `filter.${snake(field)}`
  const query = { ...parameters, page_size: PAGE_SIZE, order_by: order, 'filter.state': state }
  const all = useRows(operation, query, { keep: true })
  const isWhole = all.rows !== undefined && !all.hasMore
  const isSearched = text !== '' && all.hasMore
  const like = { [`${filter}.contains`]: text, [`${filter}.ignore_case`]: 'true' }
  const found = useRows(operation, isSearched ? { ...query, ...like } : undefined, { keep: true })
  const isEmpty = isWhole && all.rows?.length === 0 && state === ''
  if (isSearched) return { ...found, isWhole, isEmpty }
  const wanted = text.toLowerCase()
  const rows = wanted
    ? all.rows?.filter((row) => wordsOf(row, columns).toLowerCase().includes(wanted))
    : all.rows
  return { ...all, rows, isWhole, isEmpty }
}

/** All that a row shows, as a text. */
const wordsOf = (row: StoredObject, columns: readonly string[]): string => {
  const project = projectIn(row)
  return [...columns, 'permissions']
    .map((column) => {
      const { [column]: value } = row
      if (column === 'userId') return `${nameOf(String(value))} ${personOf(String(value))?.email}`
      if (column === 'projectId' && project) return projectTitleOf(project)
      if (column === 'idpId') return providerNameOf(String(value ?? ''))
      if (column === 'roleKeys' || column === 'roles')
        return keysOf(value).map((key) => (project ? roleNameOf(project, key) : key))
      return typeof value === 'object' ? JSON.stringify(value) : value
    })
    .join('\n')
}

const keysOf = (value: JsonValue | undefined): readonly string[] =>
  (Array.isArray(value) ? value : []).map((role) =>
    typeof role === 'string' ? role : String(Object(role)['roleKey']),
  )

/** The filter and order in the page's parameters. A URL may have anything, so unknown values are ignored. */
const choiceOf = ({ type, columns, filters, prefix = '' }: ListSpec) => {
  const oneOf = (offered: readonly string[], name: string) =>
    offered.find((each) => each === parameter(`${prefix}${name}`))
  const orders = columns.filter(isSortable).map(snake)
  return {
    field: oneOf(filters, 'by') ?? filters[0] ?? '',
    text: parameter(`${prefix}filter`),
    state: oneOf(type.states ?? [], 'state') ?? '',
    order: oneOf([...orders, ...orders.map((column) => `${column} desc`)], 'order') ?? '',
  }
}

interface ListProps {
  readonly list: ListSpec
  readonly query: ListQuery
}

/** How many rows there are on all pages; undefined when more follow than the server counts. */
const totalOf = ({ body, rows = [], hasMore }: Query<StoredObject>): number | undefined => {
  if (!hasMore) return rows.length
  return body?.['totalSizeCapped'] ? undefined : Number(body?.['totalSize'])
}

/** A list that is filtered, sorted and read page by page. */
export const List = ({ list, query }: ListProps) => {
  const { type, filters, prefix = '', label } = list
  const { field, text, state, order } = choiceOf(list)
  const { rows } = query
  const total = totalOf(query)
  const set = (name: string, value: string) => setParameters({ [`${prefix}${name}`]: value })
  const sort = (column: string) => set('order', order === column ? `${column} desc` : column)
  const clear = () => setParameters({ [`${prefix}filter`]: '', [`${prefix}state`]: '' })
  const isFiltered = text !== '' || state !== ''
  return (
    <section class="list" aria-busy={query.isReading}>
      <search class="bar" aria-label={label} hidden={query.isEmpty}>
        {!query.isWhole && filters.length > 1 && (
          <Choice
            label={texts.field}
            value={field}
            options={filters.map((value) => ({ value, name: fieldName(value) }))}
            change={(by) => set('by', by)}
          />
        )}
        <SearchField label={texts.filter} value={text} change={(filter) => set('filter', filter)} />
        {type.states && (
          <Choice
            label={fieldName('state')}
            value={state}
            options={[
              { value: '', name: texts.anyState },
              ...type.states.map((value) => ({ value, name: texts.values['state']?.[value] })),
            ]}
            change={(chosen) => set('state', chosen)}
          />
        )}
        {rows && !query.isReading && (
          <span class="none" role="status">
            {rows.length === total
              ? total
              : say(texts.count, { shown: rows.length, total: total ?? texts.capped })}
          </span>
        )}
      </search>
      <Waiting query={query} />
      {rows?.length === 0 && (
        <p class="empty">
          {isFiltered
            ? texts.emptyFiltered
            : (list.empty ?? texts.emptyOf[type.type] ?? texts.empty)}
          {isFiltered && (
            <>
              {' '}
              <Button text={texts.clearFilter} onClick={clear} />
            </>
          )}
        </p>
      )}
      {rows && rows.length > 0 && (
        <Rows list={list} rows={rows} total={total} order={order} sort={sort} more={query.more} />
      )}
    </section>
  )
}
