import type { Json, JsonValue } from '../state/api.js'
import { fieldName, texts } from '../texts.js'
import { html } from './html.js'

const shortTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time in the zone of the reader; in UTC on hover. */
export const Time = ({ at }: { readonly at: string }) =>
  html`<time datetime=${at} title=${`${at.replace('T', ' ').replace('Z', '')} UTC`}>${shortTime.format(new Date(at))}</time>`

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
  /** Only a field with names for its values has them: whatever people have written stays as it is. */
  readonly field: string
}

/** A value of a field, as text of either direction. */
export const Value = ({ of, field }: ValueProps) => {
  if (of === undefined || of === null || of === '' || (Array.isArray(of) && of.length === 0))
    return html`<span class="none">${texts.none}</span>`
  if (typeof of === 'boolean') return of ? texts.yes : texts.no
  if (Array.isArray(of))
    return of.map((item, at) => html`${at > 0 && ', '}<${Item} key=${at} of=${item} />`)
  const text = String(of)
  if (TIMES.includes(field)) return html`<${Time} at=${text} />`
  if (field.startsWith(ROLE))
    return TIME.test(text) ? html`${texts.until} <${Time} at=${text} />` : html`<bdi>${text}</bdi>`
  const names = texts.values[field]
  const name = names && Object.hasOwn(names, text) ? names[text] : text
  const badge = field === 'state' && BADGES[text]
  return badge ? html`<span class=${`state ${badge}`}>${name}</span>` : html`<bdi>${name}</bdi>`
}

/** A part of a list: a text, or a role with its end. */
const Item = ({ of }: { readonly of: JsonValue }) => {
  if (typeof of !== 'object' || of === null) return html`<bdi>${String(of)}</bdi>`
  const { roleKey, expiresAt } = of as Json
  return html`<bdi>${String(roleKey)}</bdi>${expiresAt && html` (${texts.until} <${Time} at=${String(expiresAt)} />)`}`
}

const secretText = ({ secret }: Json): string =>
  secret === 'unchanged' ? texts.secretSame : texts.secretChanges

const changedName = (field: string) =>
  field.startsWith(ROLE)
    ? html`${texts.role} <bdi>${field.slice(ROLE.length)}</bdi>`
    : html`<bdi>${fieldName(field)}</bdi>`

/** What changes, field by field. */
export const Changes = ({
  changes,
}: {
  readonly changes: readonly Json[]
}) => html`<dl class="changes">
  ${changes.map((change) => {
    const field = String(change['field'])
    const hasFrom = change['from'] !== undefined
    return html`<div key=${field}>
      <dt>${changedName(field)}</dt>
      <dd>${
        change['changed'] || change['secret']
          ? secretText(change)
          : html`${hasFrom && html`<del><${Value} of=${change['from']} field=${field} /></del> <span aria-hidden="true">→</span> `}<ins><${Value} of=${change['to']} field=${field} /></ins>`
      }</dd>
    </div>`
  })}
</dl>`
