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
  const changed = fields.filter(
    ({ name }) => JSON.stringify(now[name]) !== JSON.stringify(seen?.[name]),
  )
  const heads = [texts.field, texts.conflictSaw, texts.conflictNow, texts.conflictYours]
  return html`<div class="notice bad" role="alert">
    <p>${texts.conflict}</p>
    <div class="window" tabindex="0" role="region" aria-label=${texts.conflict}>
      <table>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>
          ${changed.map(
            (field) => html`<tr>
              <th scope="row">${fieldName(field.name)}</th>
              <td><${Value} of=${seen?.[field.name]} /></td>
              <td><${Value} of=${now[field.name]} /></td>
              <td><${Value} of=${jsonOf(field, written[field.name] ?? '')} /></td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </div>`
}
