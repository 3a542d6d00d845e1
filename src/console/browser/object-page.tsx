import type { ComponentChildren, ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { WireMethod } from '../../transport/wire.js'
import { type Json, objectIn, pathOf, type StoredObject, withQuery } from './api.js'
import { Button, CopyButton } from './button.js'
import { Value } from './display.js'
import { WriteDialog } from './form.js'
import { AsOf, HistoryList, useHistory } from './history.js'
import { nameOf, organizationNameOf } from './known.js'
import { RolesOf } from './names.js'
import { Waiting } from './notice.js'
import type { ObjectType, Verb } from './object-types.js'
import { usePermission } from './permissions.js'
import { useQuery } from './query.js'
import { go, parameter, useTitle } from './router.js'
import { fieldName, say, texts } from './texts.js'
import { undoRemoval } from './undo.js'
import { fieldsOf, type Write } from './write.js'

/** Something else that callers who may change an object can do with it. */
type Tool = ComponentType<{ readonly ids: Json; readonly object: StoredObject }>

interface ObjectPageProps {
  readonly type: ObjectType
  /** Page to go to when the object is removed. */
  readonly back: string
  readonly tool?: Tool
  /** What readers come for, before the fields of the object. */
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The page of an object: as it is or was, what the caller may do with it, and its history. */
export const ObjectPage = ({ type, back, tool: Tool, lead, children }: ObjectPageProps) => {
  const ids = Object.fromEntries(
    type.ids.flatMap((id) => (parameter(id) ? [[id, parameter(id)]] : [])),
  )
  const at = parameter('at')
  const { get, stateAt } = type.operations
  const query = useQuery(at ? withQuery(pathOf(stateAt, ids), { sequence: at }) : pathOf(get, ids))
  const mayReadHistory = usePermission('event.read') ?? false
  const mayWrite = usePermission(type.permission)
  const history = useHistory(type.operations.history, {
    ids,
    size: '100',
    isLive: !at,
    isOff: !mayReadHistory,
  })
  const object = query.body && objectIn(query.body, get)
  const isMissing = query.failure?.status === 404
  const known: Json = { ...ids, ...object }
  const [naming = ''] = type.shown
  useTitle(titleOf(type, known))
  return (
    <article>
      <p class="kind">{type.title}</p>
      <h1>
        <Value of={namedIn(type, known)} field={naming} row={known} />{' '}
        {object && type.operations.deactivate && <Value of={object['state']} field="state" />}
      </h1>
      <AsOf history={history} at={at} />
      {isMissing ? (
        <Missing isThen={at !== ''} history={history} />
      ) : (
        <Waiting query={query} of="facts" />
      )}
      <div class="object">
        <div>{object && !at && lead}</div>
        {object && (
          <aside aria-label={texts.facts}>
            <RolesOf object={known}>
              <Facts type={type} object={object} />
            </RolesOf>
            {!at && <Actions {...{ type, ids, object, back }} isStale={query.isReading} />}
          </aside>
        )}
        <div>
          {Tool && mayWrite && object && !at && <Tool ids={ids} object={object} />}
          {!at && !isMissing && children}
        </div>
        {mayReadHistory && (
          <section>
            <h2>{texts.history}</h2>
            <HistoryList history={history} />
          </section>
        )}
      </div>
    </article>
  )
}

interface MissingProps {
  /** Whether it is a time of the past that is shown. */
  readonly isThen: boolean
  readonly history: ReturnType<typeof useHistory>
}

/** Explains why the object does not exist; the history shows whether it ever did. */
const Missing = ({ isThen, history: { rows } }: MissingProps) => (
  <p class="empty" role="alert">
    {isThen
      ? texts.missingThen
      : rows === undefined
        ? texts.missing
        : rows.length > 0
          ? texts.removed
          : texts.neverThere}
  </p>
)

interface FactsProps {
  readonly type: ObjectType
  readonly object: StoredObject
}

/** Fields that are needed elsewhere. */
const COPIED = ['recordName', 'challenge', 'idpId', 'id', 'roleKey', 'linkId']

/** The field that names an object, or its id. */
const namedIn = ({ shown: [naming = ''], ids }: ObjectType, object: Json): string =>
  String(object[naming] || object[ids.at(-1) ?? ''] || '')

/** The name of an object as a text. */
const titleOf = (type: ObjectType, object: Json): string => {
  const named = namedIn(type, object)
  if (type.shown[0] === 'userId') return nameOf(named)
  return type.shown[0] === 'grantedOrgId' ? organizationNameOf(named) : named
}

const Facts = ({ type, object }: FactsProps) => {
  const { creationDate, changeDate } = object.details
  // The name of the record that proves a domain is not part of the answer.
  const recordName = object['challenge'] && `_claviger-challenge.${String(object['domain'])}`
  const values: Json = { ...object, creationDate, changeDate, recordName }
  return (
    <dl class="facts">
      {[...type.shown, 'creationDate', 'changeDate'].map((field) => (
        <div key={field}>
          <dt>{fieldName(field)}</dt>
          <dd>
            <Value of={values[field]} field={field} row={values} />{' '}
            {COPIED.includes(field) && values[field] && <CopyButton text={String(values[field])} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ActionsProps extends FactsProps {
  readonly ids: Json
  /** Whether the object is being read again, after a change. */
  readonly isStale: boolean
  readonly back: string
}

/** Buttons for the changes of an object, or the permission that the caller lacks. */
const Actions = (props: ActionsProps) => {
  const { type, ids, object, isStale, back } = props
  const [write, setWrite] = useState<Write | undefined>()
  const isAllowed = usePermission(type.permission)
  if (isAllowed === undefined) return null
  if (!isAllowed) return <p class="none">{say(texts.readOnly, { permission: type.permission })}</p>

  const { protectedBy } = object
  if (protectedBy) return <p class="notice">{say(texts.declaredBy, { by: String(protectedBy) })}</p>

  const { get, history, update, remove, deactivate, reactivate } = type.operations
  const name = titleOf(type, { ...ids, ...object })
  const edit = (update: WireMethod) => {
    const names = type.form.filter((name) => !type.ids.includes(name))
    const title = say(texts.editThis, { name })
    setWrite({ title, operation: update, ids, fields: fieldsOf(update, names) })
  }
  const undoOf = (verb: Verb): Write['undo'] => {
    if (verb === 'remove')
      return () => undoRemoval(type, { ...object, ...ids, details: object.details })
    const opposite = { deactivate: reactivate, reactivate: deactivate }[String(verb)]
    return opposite && (async () => ({ steps: [{ operation: opposite, values: ids }] }))
  }
  const button = (verb: Verb, operation: WireMethod, look?: 'primary' | 'danger') => {
    const confirm = texts[verb]
    const open = () =>
      setWrite({
        title: say(texts.ask[verb] ?? verb, { name }),
        effect: texts.effects[`${type.type}.${verb}`],
        isDangerous: look === 'danger',
        said: say(texts.done[verb] ?? texts.saved, { name }),
        undo: undoOf(verb),
        ...{ confirm, operation, ids, fields: [] },
      })
    return <Button text={confirm} look={look} onClick={open} />
  }
  const isInactive = object['state'] === 'STATE_INACTIVE'
  const step = type.step?.states.includes(String(object['state'])) ? type.step : undefined
  const close = (isDone: boolean) => {
    setWrite(undefined)
    if (isDone && write?.operation === remove) go(back, { isKept: true })
  }
  return (
    <>
      <div class="actions start">
        {update && <Button text={texts.edit} onClick={() => edit(update)} />}
        {reactivate && isInactive && button('reactivate', reactivate)}
        {step && button(step.verb, step.operation, step.look ?? 'primary')}
        {(deactivate || remove) && (
          <details class="more">
            <summary>{texts.moreActions}</summary>
            {deactivate && !isInactive && button('deactivate', deactivate)}
            {remove && button('remove', remove, 'danger')}
          </details>
        )}
      </div>
      {write && !isStale && (
        <WriteDialog write={{ ...write, seen: { object, get, history } }} close={close} />
      )}
    </>
  )
}
