import type { Json, JsonValue } from '../state/api.js'
import { texts } from '../texts.js'
import { html } from './html.js'

const shortTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time in the zone of the reader; in UTC on hover. */
export const Time = ({ at }: { readonly at: string }) =>
  html`<time datetime=${at} title=${`${at.replace('T', ' ').replace('Z', '')} UTC`}>${shortTime.format(new Date(at))}</time>`

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

const nameOf = (value: JsonValue): string => {
  if (typeof value !== 'object' || value === null)
    return texts.values[String(value)] ?? String(value)
  if (Array.isArray(value)) return value.map(nameOf).join(', ')
  const { roleKey, expiresAt } = value as Json
  if (roleKey === undefined) return JSON.stringify(value)
  return expiresAt
    ? `${roleKey} (${texts.until} ${shortTime.format(new Date(String(expiresAt)))})`
    : String(roleKey)
}

/** A value of a field, as text of either direction. */
export const Value = ({ of }: { readonly of: JsonValue | undefined }) => {
  if (of === undefined || of === null || of === '' || (Array.isArray(of) && of.length === 0))
    return html`<span class="none">${texts.none}</span>`
  if (typeof of === 'string' && TIME.test(of)) return html`<${Time} at=${of} />`
  if (of === 'STATE_ACTIVE' || of === 'STATE_INACTIVE')
    return html`<span class=${`state ${of === 'STATE_ACTIVE' ? 'on' : 'off'}`}>${nameOf(of)}</span>`
  return html`<bdi>${nameOf(of)}</bdi>`
}

/** What changes, field by field. */
export const Changes = ({
  changes,
}: {
  readonly changes: readonly Json[]
}) => html`<dl class="changes">
  ${changes.map(
    (change) => html`<div key=${change['field']}>
      <dt><bdi>${texts.fields[String(change['field'])] ?? String(change['field'])}</bdi></dt>
      <dd>${
        change['changed'] || change['secret']
          ? String(change['secret'] ?? texts.secretChanges)
          : html`${change['from'] !== undefined && html`<del><${Value} of=${change['from']} /></del> <span aria-hidden="true">→</span> `}<ins><${Value} of=${change['to']} /></ins>`
      }</dd>
    </div>`,
  )}
</dl>`
