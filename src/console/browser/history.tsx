import type { WireMethod } from '../../transport/wire.js'
import { type FieldChange, type Json, pathOf } from './api.js'
import { Button } from './button.js'
import {
  Changes,
  GRANTED,
  InProject,
  isNothing,
  Joined,
  NameLink,
  Time,
  timeText,
} from './display.js'
import { ROLE, RoleName, RolesOf, UserName } from './names.js'
import { More, Waiting } from './notice.js'
import { type Query, useRows } from './query.js'
import { setParameters } from './router.js'
import { Say, texts } from './texts.js'

/** One change: actor, time, object and changed fields. */
export interface HistoryEntry {
  readonly sequence: string
  readonly time: string
  readonly type: string
  readonly actor: { readonly userId: string }
  readonly object: Json
  readonly changes?: readonly FieldChange[]
  readonly reason?: string
}

interface HistoryOptions {
  /** Ids of the object, if it is the history of one. */
  readonly ids?: Json
  readonly filter?: Readonly<Record<string, string | undefined>>
  readonly size?: string
  /** Whether new changes are put on top as they come. */
  readonly isLive: boolean
  /** Reads nothing, for a caller who may not. */
  readonly isOff?: boolean
}

/** Reads a history, the newest change first. */
export const useHistory = (
  operation: WireMethod,
  { ids, filter, size = '50', isLive, isOff = false }: HistoryOptions,
) => {
  const query = { ...ids, ...filter }
  const since = (newest: HistoryEntry | undefined) =>
    pathOf(operation, { ...query, order: 'asc', page_size: '200', after: newest?.sequence })
  return useRows(operation, isOff ? undefined : { ...query, order: 'desc', page_size: size }, {
    live: isLive ? since : undefined,
  })
}

interface HistoryProps {
  readonly history: Pick<
    Query<HistoryEntry>,
    'rows' | 'hasMore' | 'more' | 'body' | 'failure' | 'reload'
  >
  /** Whether entries name their object. */
  readonly hasObjects?: boolean
  /** Leaves out the fields, and older changes. */
  readonly isShort?: boolean
}

/** Changes, the newest first. */
export const HistoryList = ({ history, hasObjects = false, isShort = false }: HistoryProps) => {
  const { rows } = history
  if (!rows) return <Waiting query={history} />
  if (rows.length === 0) return <p class="empty">{texts.noHistory}</p>
  return (
    <div>
      <ol class="timeline">
        {rows.map(({ sequence, time, type, actor, object, changes, reason }) => (
          <RolesOf key={`${sequence}${object['roleKey'] ?? ''}`} object={object}>
            <li>
              <p>
                <Happened {...{ type, object, changes }} />
                {hasObjects && <InProject object={object} />}
                <span class="none">
                  {' '}
                  <Say
                    text={texts.by}
                    name={<UserName id={actor.userId} />}
                    time={<Time at={time} />}
                  />
                </span>
              </p>
              {reason && (
                <p>
                  {texts.reason}: <bdi>{reason}</bdi>
                </p>
              )}
              {!isShort && <Changes changes={changes?.filter((each) => !isTold(type, each))} />}
            </li>
          </RolesOf>
        ))}
      </ol>
      {!isShort && <More query={history} />}
    </div>
  )
}

interface Told extends Pick<HistoryEntry, 'type' | 'object'> {
  readonly changes: HistoryEntry['changes'] | undefined
}

/** Whether the sentence about a change says all of it: a role without an end was given or taken. */
const isTold = (type: string, { field, from, to }: FieldChange): boolean =>
  OF_USERS.test(type) &&
  (field.startsWith(ROLE) ? isNothing(to) || (isNothing(from) && to === GRANTED) : !isNothing(from))

/** Events that give and take roles of a user. */
const OF_USERS = /^user_grant\.(added|updated|removed)$/

/** What happened to an object, as a sentence. */
export const Happened = ({ type, object, changes = [] }: Told) => {
  const roles = OF_USERS.test(type) ? changes.filter(({ field }) => field.startsWith(ROLE)) : []
  const named = (those: readonly FieldChange[]) => (
    <Joined of={those.map(({ field }) => <RoleName roleKey={field.slice(ROLE.length)} />)} />
  )
  const got = roles.filter(({ from }) => isNothing(from))
  const lost = roles.filter(({ to }) => isNothing(to))
  const both = got.length > 0 ? texts.gotAndLost : texts.lost
  const text =
    lost.length > 0 ? both : got.length > 0 ? texts.got : (texts.types[type] ?? `${type} {object}`)
  return (
    <strong>
      <Say
        text={text}
        object={<NameLink object={object} />}
        roles={named(got.length > 0 ? got : lost)}
        lost={named(lost)}
      />
    </strong>
  )
}

interface AsOfProps extends HistoryProps {
  /** Position of the change that is shown; empty for now. */
  readonly at: string
}

/** Chooses one of the changes that a history has read, to show the object as it was right after. */
export const AsOf = ({ history, at }: AsOfProps) => {
  const entries = history.rows?.toReversed() ?? []
  const [first] = entries
  if (!first || entries.length < 2) return null
  const last = entries.length - 1
  const found = entries.findIndex(({ sequence }) => sequence === at)
  const choose = (index: number) =>
    setParameters({ at: index === last ? '' : entries[index]?.sequence })
  return (
    <div class="as-of">
      <label for="as-of">{texts.asOf}</label>
      <input
        id="as-of"
        type="range"
        min="0"
        max={last}
        step="1"
        value={at ? Math.max(0, found) : last}
        onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
        title={texts.asOfHint}
        aria-valuetext={at ? timeText(entries[found]?.time) : texts.asOfNow}
        aria-describedby="as-of-reach"
      />
      {at ? (
        <span>
          {found < 0 ? texts.asOfEarlier : <Time at={entries[found]?.time ?? ''} />}{' '}
          <Button text={texts.backToNow} onClick={() => choose(last)} />
        </span>
      ) : (
        <span>{texts.asOfNow}</span>
      )}
      <span id="as-of-reach" class="none">
        <Say
          text={history.hasMore ? texts.asOfLast : texts.asOfAll}
          count={entries.length}
          time={<Time at={first.time} />}
        />
      </span>
    </div>
  )
}
