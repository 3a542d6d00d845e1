import { useState } from 'preact/hooks'
import type { Json, StoredObject } from './api.js'
import { Button } from './display.js'
import { WriteDialog } from './form.js'
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
        {add && <AddButton type={list.type} ids={add} done={query.reload} />}
      </header>
      <List list={list} query={query} />
    </section>
  )
}

interface AddButtonProps {
  readonly type: ObjectType
  readonly ids: Json
  readonly done: () => void
}

/** A button that opens the form of a new object, or the permission that the caller lacks. */
const AddButton = ({ type, ids, done }: AddButtonProps) => {
  const [isOpen, setOpen] = useState(false)
  const isAllowed = usePermission(type.permission)
  if (isAllowed === undefined) return null
  if (!isAllowed) return <p class="none">{say(texts.addNeeds, { permission: type.permission })}</p>
  const { add: operation } = type.operations
  const fields = fieldsOf(operation, type.form)
  const title = say(texts.addA, { type: type.title })
  const close = (isDone: boolean) => {
    setOpen(false)
    if (isDone) done()
  }
  return (
    <>
      <Button text={texts.add} look="primary" onClick={() => setOpen(true)} />
      {isOpen && <WriteDialog write={{ title, operation, ids, fields }} close={close} />}
    </>
  )
}

const PAGE_SIZE = '500'

/** Reads a list, filtered and sorted as the parameters of the page say. */
export const useList = (list: ListSpec): Query<StoredObject> => {
  const { operation, parameters } = list
  const { text, field, state, order } = choiceOf(list)
  const filter = `filter.${snake(field)}`
  const query = {
    ...parameters,
    page_size: PAGE_SIZE,
    order_by: order,
    [`${filter}.contains`]: text,
    [`${filter}.ignore_case`]: text && 'true',
    'filter.state': state,
  }
  return useRows(operation, query, { keep: true })
}

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
  readonly query: Query<StoredObject>
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
      <search class="bar" aria-label={label}>
        <select
          aria-label={texts.field}
          value={field}
          onChange={({ currentTarget }) => set('by', currentTarget.value)}
        >
          {filters.map((name) => (
            <option key={name} value={name}>
              {fieldName(name)}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={texts.filter}
          placeholder={texts.filter}
          maxLength={200}
          dir="auto"
          value={text}
          onInput={({ currentTarget }) => set('filter', currentTarget.value)}
        />
        {type.states && (
          <select
            aria-label={fieldName('state')}
            value={state}
            onChange={({ currentTarget }) => set('state', currentTarget.value)}
          >
            <option value="">{texts.anyState}</option>
            {type.states.map((value) => (
              <option key={value} value={value}>
                {texts.values['state']?.[value]}
              </option>
            ))}
          </select>
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
          {isFiltered ? texts.emptyFiltered : (list.empty ?? texts.empty)}
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
