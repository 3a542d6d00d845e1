import type { ComponentChildren } from 'preact'
import type { AffectedRoles, FieldChange, Impact, Json, JsonValue } from './api.js'
import { ownOrganization, roleNameOf } from './known.js'
import {
  OrganizationName,
  ProjectName,
  ProviderName,
  projectIn,
  ROLE,
  RoleName,
  UserName,
} from './names.js'
import { type ObjectType, objectTypes } from './object-types.js'
import { href } from './router.js'
import { settings } from './settings.js'
import { fieldName, Say, say, sayCount, texts } from './texts.js'

const TIMES: readonly string[] = ['creationDate', 'changeDate', 'from', 'expiresAt']
const BADGES: Readonly<Record<string, string>> = {
  STATE_ACTIVE: 'on',
  STATE_INACTIVE: 'off',
  DOMAIN_STATE_VERIFIED: 'on',
  DOMAIN_STATE_PENDING: 'off',
}
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

interface ValueProps {
  readonly of: JsonValue | undefined
  /** Only a field with names for its values has them: what people have written stays as it is. */
  readonly field: string
  /** The object that has the field: a project may be of another organization. */
  readonly row?: Json
}

const LIST = new Intl.ListFormat(settings.language, { type: 'unit', style: 'short' })

/** Elements with what joins a list in the language of the page between them. */
export const Joined = ({ of }: { readonly of: readonly ComponentChildren[] }) => {
  let at = 0
  return LIST.formatToParts(of.map(String)).map(({ type, value }) =>
    type === 'element' ? of[at++] : value,
  )
}

const ORGANIZATIONS: readonly string[] = ['orgId', 'projectOrgId', 'grantedOrgId', 'resourceOwner']

/** A value as a text, with the names of its parts. */
const wordsOf = (value: JsonValue | undefined): string => {
  if (typeof value !== 'object' || value === null)
    return TIME.test(String(value)) ? timeText(String(value)) : String(value)
  if (Array.isArray(value)) return LIST.format(value.map(wordsOf))
  const parts = Object.entries(value).filter(([, part]) => !Array.isArray(part) || part.length > 0)
  return parts.map(([name, part]) => `${fieldName(name)}: ${wordsOf(part)}`).join('; ')
}

/** A value of a field, as text of either direction; permissions of a role as tags. */
export const Value = ({ of, field, row }: ValueProps) => {
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
  if (Array.isArray(of)) return <Joined of={of.map((item) => <Item of={item} field={field} />)} />
  const text = typeof of === 'object' ? wordsOf(of) : String(of)
  if (field === 'expiresAt' || (field.startsWith(ROLE) && TIME.test(text)))
    return <Until at={text} />
  if (TIMES.includes(field)) return <Time at={text} />
  if (field === 'userId') return <UserName id={text} />
  if (field === 'projectId')
    return (
      <>
        <ProjectName {...projectIn({ ...row, projectId: text })} projectId={text} />
        <OnResource of={row} />
      </>
    )
  if (ORGANIZATIONS.includes(field)) return <OrganizationName id={text} />
  if (field === 'idpId') return <ProviderName id={text} />
  if (text === GRANTED && field.startsWith(ROLE)) return texts.forever
  const names = texts.values[field]
  // A history has states in the words of its events, such as `active`.
  const isWord = (key: string) => field === 'state' && key.endsWith(`STATE_${text.toUpperCase()}`)
  const key = Object.keys(names ?? {}).find((each) => each === text || isWord(each))
  const name = (key !== undefined && names?.[key]) || text
  const badge = field === 'state' && BADGES[text]
  return badge ? <span class={`state ${badge}`}>{name}</span> : <bdi>{name}</bdi>
}

/** The resource that a role counts on, beside its project. */
const OnResource = ({ of }: { readonly of: Json | undefined }) =>
  of?.['resource'] ? (
    <>
      {' · '}
      <bdi>{String(of['resource'])}</bdi>
    </>
  ) : null

/** An item of a list: a text, or a role with its expiry. */
const Item = ({ of, field }: ValueProps & { readonly of: JsonValue }) => {
  if (field === 'roleKeys') return <RoleName roleKey={String(of)} />
  if (typeof of !== 'object' || of === null || !('roleKey' in of)) {
    const name = field === 'intents' && texts.intents[String(of)]
    return <bdi>{name || String(of)}</bdi>
  }
  return (
    <>
      <RoleName roleKey={String(of['roleKey'])} />
      {of['expiresAt'] && [' (', <Until at={String(of['expiresAt'])} />, ')']}
    </>
  )
}

interface UntilProps {
  readonly at: string
}

/** When a role ends, or since when it has not counted. */
export const Until = ({ at }: UntilProps) => {
  const isOver = Date.parse(at) <= Date.now()
  return (
    <span class={isOver ? 'over' : undefined}>
      <Say text={isOver ? texts.expiredAt : texts.until} time={<Time at={at} />} />
    </span>
  )
}

// English of the reader's country: a month before its day, or after it.
const language =
  settings.language === 'en'
    ? navigator.languages.find((each) => each.startsWith('en'))
    : settings.language
const shortTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })

const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })

/** A day in the zone of the reader. */
export const dayOf = (at: string): string => day.format(new Date(at))

/** A time in the zone of the reader, as a text. */
export const timeText = (at: string | undefined): string =>
  at ? shortTime.format(new Date(at)) : ''

/** A time in the zone of the reader; in UTC on hover. */
export const Time = ({ at }: UntilProps) => (
  <time datetime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
    {timeText(at)}
  </time>
)

interface ChangesProps {
  readonly changes?: readonly FieldChange[] | undefined
}

/** Leaves out what an object that was added has anyhow. */
const isSaid = ({ field, from }: FieldChange): boolean => field !== 'state' || !isNothing(from)

export const isNothing = (value: JsonValue | undefined): value is undefined | null =>
  value === undefined || value === null

/** The changes, field by field. */
export const Changes = ({ changes = [] }: ChangesProps) => (
  <dl class="changes">
    {changes.filter(isSaid).map((change) => (
      <div key={change.field}>
        <dt>
          {change.field.startsWith(ROLE) ? (
            <RoleName roleKey={change.field.slice(ROLE.length)} />
          ) : (
            <bdi>{fieldName(change.field)}</bdi>
          )}
        </dt>
        <dd>
          <Change {...change} />
        </dd>
      </div>
    ))}
  </dl>
)

const Change = ({ field, from, to, changed, secret }: FieldChange) => {
  if (changed || secret) return secret === 'unchanged' ? texts.secretSame : texts.secretChanges
  if (field.startsWith(ROLE) && isNothing(to)) return <del>{texts.taken}</del>
  if (field.startsWith(ROLE) && isNothing(from))
    return (
      <ins>
        {texts.granted} {to !== GRANTED && <Value of={to} field={field} />}
      </ins>
    )
  return (
    <>
      {!isNothing(from) && [
        <del>
          <Value of={from} field={field} />
        </del>,
        ' ',
        <span class="arrow" aria-hidden="true">
          →
        </span>,
        ' ',
      ]}
      <ins>
        <Value of={to} field={field} />
      </ins>
    </>
  )
}

/** The end of a role that has none, in a history. */
export const GRANTED = 'granted'

interface ConsequencesProps {
  readonly impact?: Impact | undefined
  /** Leaves out who gains: of a write that gives roles to one user the changes say it. */
  readonly isBrief?: boolean
}

/** Who would lose and gain roles: how many roles, and the first of them by role. */
export const Consequences = ({ impact = {}, isBrief = false }: ConsequencesProps) => (
  <>
    <Affected roles={impact.loses} about={texts.loses} />
    {!isBrief && <Affected roles={impact.gains} about={texts.gains} />}
  </>
)

interface AffectedProps {
  readonly roles: AffectedRoles | undefined
  readonly about: typeof texts.loses
}

const Affected = ({ roles: { count = 0, first = [] } = {}, about }: AffectedProps) =>
  count > 0 && (
    <>
      <p>{sayCount(about, count)}</p>
      <dl class="changes">
        {[...new Set(first.map(({ roleKey }) => roleKey))].map((roleKey) => (
          <div key={roleKey}>
            <dt>
              <RoleName roleKey={roleKey} />
            </dt>
            <dd>
              <Joined
                of={first
                  .filter((role) => role.roleKey === roleKey)
                  .map(({ userId, orgId }) => (
                    <>
                      <UserName id={userId} />
                      {orgId !== ownOrganization() && [' (', <OrganizationName id={orgId} />, ')']}
                    </>
                  ))}
              />
            </dd>
          </div>
        ))}
      </dl>
      {count > first.length && <p>{say(texts.andMore, { count: count - first.length })}</p>}
    </>
  )

interface ObjectLinkProps {
  readonly type: ObjectType
  readonly row: Json
  /** The field that names the object. */
  readonly field: string
}

const pageOf = ({ page, ids }: ObjectType, object: Json): string =>
  href(page, Object.fromEntries(ids.map((id) => [id, object[id]])))

/** A link to the page of an object. */
export const ObjectLink = ({ type, row, field }: ObjectLinkProps) => {
  const shown = row[field] || row[type.ids.at(-1) ?? ''] || type.title
  return (
    <a href={pageOf(type, row)}>
      <Value of={shown} field={field} row={row} />
    </a>
  )
}

/** The ids that name an object, the most telling first. */
const NAMING = ['userId', 'group', 'roleKey', 'grantedOrgId', 'idpId', 'domain', 'linkId', 'id']

/** A link to the object of a reference, such as one in history. */
export const NameLink = ({ object }: { readonly object: Json }) => {
  const type = objectTypes.find((each) => each.type === object['type'])
  const project = projectIn({ ...object, id: undefined })
  const field = NAMING.find((id) => object[id] !== undefined) ?? ''
  const text = String(object[field] ?? '')
  const name =
    type?.type === 'project' ? (
      <ProjectName projectId={text} />
    ) : field === 'roleKey' && project ? (
      <bdi title={text}>{roleNameOf(project, text)}</bdi>
    ) : (
      <Value of={text} field={field} />
    )
  return type ? <a href={pageOf(type, object)}>{name}</a> : name
}

/** The project that an object lies in, after the object. */
export const InProject = ({ object }: { readonly object: Json }) => {
  const project = projectIn({ ...object, id: undefined })
  if (!project) return null
  return (
    <>
      {' · '}
      <ProjectName {...project} />
      <OnResource of={object} />
    </>
  )
}
