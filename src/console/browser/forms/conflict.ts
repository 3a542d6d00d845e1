import type { FormField } from '../kinds.js'
import { html } from '../parts/html.js'
import { Value } from '../parts/values.js'
import type { Json } from '../state/api.js'
import { fieldName, texts } from '../texts.js'
import { jsonOf } from './field-text.js'

interface ConflictProps {
  readonly fields: readonly FormField[]
  readonly seen?: Json | undefined
  readonly now: Json
  readonly written: Readonly<Record<string, string>>
}

/** What somebody else has changed meanwhile, beside what the reader saw and wrote. */
export const Conflict = ({ fields, seen, now, written }: ConflictProps) => {
  const names = new Set([...Object.keys(now), ...Object.keys(seen ?? {})])
  const changed = [...names].filter(
    (name) => name !== 'details' && JSON.stringify(now[name]) !== JSON.stringify(seen?.[name]),
  )
  const yours = (name: string) => {
    const field = fields.find((each) => each.name === name)
    return field && jsonOf(field, written[name] ?? '')
  }
  const heads = [texts.conflictSaw, texts.conflictNow, texts.conflictYours]
  return html`<div class="notice bad" role="alert">
    <p>${texts.conflict}</p>
    <div class="wide compare" tabindex="0" role="region" aria-label=${texts.conflict}>
      <table>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        ${changed.map(
          (name) => html`<tbody key=${name}>
            <tr><th scope="rowgroup" colspan="3">${fieldName(name)}</th></tr>
            <tr>${[seen?.[name], now[name], yours(name)].map((value) => html`<td><${Value} of=${value} field=${name} /></td>`)}</tr>
          </tbody>`,
        )}
      </table>
    </div>
  </div>`
}
