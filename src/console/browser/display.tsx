import type { AffectedRoles, Failure, FieldChange, Impact, Json, JsonValue } from './api.js'
import { type ObjectType, objectTypes } from './object-types.js'
import type { Query } from './query.js'
import { href, parameter, setParameters } from './router.js'
import { fieldName, texts } from './texts.js'

const TIMES: readonly string[] = ['creationDate', 'changeDate', 'from', 'expiresAt']
const BADGES: Readonly<Record<string, string>> = {
  STATE_ACTIVE: 'on',
  STATE_INACTIVE: 'off',
  DOMAIN_STATE_VERIFIED: 'on',
  DOMAIN_STATE_PENDING: 'off',
}
/** Begins the field of a role in a history. */
const ROLE = 'roles.'
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

interface ValueProps {
  readonly of: JsonValue | undefined
  /** Only a field with names for its values has them: what people have written stays as it is. */
  readonly field: string
}

/** A value of a field, as text of either direction; permissions of a role as tags. */
export const Value = ({ of, field }: ValueProps) => {
  if (of === undefined || of === null || of === '' || (Array.isArray(of) && of.length === 0))
    return <span class="none">{texts.none}</span>
  if (typeof of === 'boolean') return of ? texts.yes : texts.no
  if (field === 'permissions' && Array.isArray(of))
    return of.flatMap((permission, at) => [
      at > 0 && ' ',
      <span class="badge">
        <bdi>{String(permission)}</bdi>
      </span>,
    ])
  if (Array.isArray(of)) return of.flatMap((item, at) => [at > 0 && ', ', <Item of={item} />])
  const text = String(of)
  if (TIMES.includes(field)) return <Time at={text} />
  if (field.startsWith(ROLE) && TIME.test(text)) return [texts.until, ' ', <Time at={text} />]
  const names = texts.values[field]
  const name = names && Object.hasOwn(names, text) ? names[text] : text
  const badge = field === 'state' && BADGES[text]
  return badge ? <span class={`state ${badge}`}>{name}</span> : <bdi>{name}</bdi>
}

/** An item of a list: a text, or a role with its expiry. */
const Item = ({ of }: { readonly of: JsonValue }) => {
  if (typeof of !== 'object' || of === null || !('roleKey' in of)) return <bdi>{String(of)}</bdi>
  return (
    <>
      <bdi>{String(of['roleKey'])}</bdi>
      {of['expiresAt'] && [` (${texts.until} `, <Time at={String(of['expiresAt'])} />, ')']}
    </>
  )
}

const shortTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time in the zone of the reader; in UTC on hover. */
export const Time = ({ at }: { readonly at: string }) => (
  <time datetime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
    {shortTime.format(new Date(at))}
  </time>
)

const localTime = (at: string): string => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Chooses a time in the zone of the reader. The URL has it in UTC. */
export const TimeField = ({ name, label }: { readonly name: string; readonly label: string }) => (
  <label>
    {label}{' '}
    <input
      type="datetime-local"
      value={localTime(parameter(name))}
      onChange={({ currentTarget: { value } }) =>
        setParameters({ [name]: value && new Date(value).toISOString() })
      }
    />
  </label>
)

/** What changes, field by field. */
export const Changes = ({
  changes = [],
}: {
  readonly changes?: readonly FieldChange[] | undefined
}) => (
  <dl class="changes">
    {changes.map(({ field, from, to, changed, secret }) => (
      <div key={field}>
        <dt>
          {field.startsWith(ROLE) && `${texts.role} `}
          <bdi>{field.startsWith(ROLE) ? field.slice(ROLE.length) : fieldName(field)}</bdi>
        </dt>
        {changed || secret ? (
          <dd>{secret === 'unchanged' ? texts.secretSame : texts.secretChanges}</dd>
        ) : (
          <dd>
            {from !== undefined && [
              <del>
                <Value of={from} field={field} />
              </del>,
              ' ',
              <span aria-hidden="true">→</span>,
              ' ',
            ]}
            <ins>
              <Value of={to} field={field} />
            </ins>
          </dd>
        )}
      </div>
    ))}
  </dl>
)

/** Who would lose and gain roles: how many roles, and the first of them by role. */
export const Consequences = ({ impact = {} }: { readonly impact?: Impact | undefined }) => (
  <>
    <Affected roles={impact.loses} about={texts.loses} />
    <Affected roles={impact.gains} about={texts.gains} />
  </>
)

interface AffectedProps {
  readonly roles: AffectedRoles | undefined
  readonly about: (count: number) => string
}

const Affected = ({ roles: { count = 0, first = [] } = {}, about }: AffectedProps) =>
  count > 0 && (
    <>
      <p>{about(count)}</p>
      <dl class="changes">
        {[...new Set(first.map(({ roleKey }) => roleKey))].map((roleKey) => (
          <div key={roleKey}>
            <dt>
              <bdi>{roleKey}</bdi>
            </dt>
            <dd>
              {first
                .filter((role) => role.roleKey === roleKey)
                .map(({ userId, orgId }, at) => [
                  at > 0 && ', ',
                  <bdi>{userId}</bdi>,
                  ' (',
                  <bdi>{orgId}</bdi>,
                  ')',
                ])}
            </dd>
          </div>
        ))}
      </dl>
      {count > first.length && <p>{texts.andMore(count - first.length)}</p>}
    </>
  )

interface ObjectLinkProps {
  readonly type: ObjectType
  readonly row: Json
  readonly text?: JsonValue | undefined
}

/** A link to the page of an object. */
export const ObjectLink = ({ type, row, text }: ObjectLinkProps) => {
  const ids = Object.fromEntries(
    type.ids.map((id) => [id, row[id] === undefined ? undefined : String(row[id])]),
  )
  const shown = String(text || ids[type.ids.at(-1) ?? ''] || type.title)
  return (
    <a href={href(type.page, ids)}>
      <bdi>{shown}</bdi>
    </a>
  )
}

/** The ids that name an object, the most telling first. */
const NAMING = ['userId', 'roleKey', 'grantedOrgId', 'idpId', 'id', 'domain']

/** A link to the object of a reference, such as one in history. */
export const RefLink = ({ object }: { readonly object: Json }) => {
  const type = objectTypes.find((each) => each.type === object['type'])
  const text = NAMING.map((id) => object[id]).find((id) => id !== undefined)
  return type ? (
    <ObjectLink type={type} row={object} text={text} />
  ) : (
    <bdi>{String(text ?? '')}</bdi>
  )
}

interface ButtonProps {
  readonly text: string
  readonly look?: 'primary' | 'danger' | 'no-print' | undefined
  readonly onClick: () => void
}

export const Button = ({ text, look, onClick }: ButtonProps) => (
  <button type="button" class={look} onClick={onClick}>
    {text}
  </button>
)

const messageOf = ({ status, reason, message, metadata, violations }: Failure): string => {
  if (status === 0) return texts.offline
  if (status === 503) return texts.unavailable
  if (status === 401) return texts.signedOut
  if (reason === 'PERMISSION_DENIED')
    return texts.denied(metadata['permission'] ?? '', metadata['orgId'] ?? '')
  if (reason === 'NOT_FOUND') return texts.missing
  const fields = violations.map(({ field, description }) => `${field} ${description}`).join('; ')
  return texts.failed(fields ? `${message}: ${fields}` : message, metadata['correlationId'] ?? '')
}

interface FailureNoticeProps {
  readonly failure: Failure
  readonly retry?: () => void
}

/** Why a call failed, and what to do about it. */
export const FailureNotice = ({ failure, retry }: FailureNoticeProps) => (
  <div class="notice bad" role="alert">
    <p>{messageOf(failure)}</p>
    {retry && (failure.status === 0 || failure.status >= 500) && (
      <Button text={texts.retry} onClick={retry} />
    )}
  </div>
)

/** Stands in for what a query has not read yet, or could not read. */
export const Waiting = ({
  query,
}: {
  readonly query: Pick<Query, 'body' | 'failure' | 'reload'>
}) => {
  if (query.failure) return <FailureNotice failure={query.failure} retry={query.reload} />
  return query.body ? null : (
    <p class="none" role="status">
      {texts.loading}
    </p>
  )
}
