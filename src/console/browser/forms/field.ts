import type { FormField } from '../kinds.js'
import { html } from '../parts/html.js'
import type { Failure } from '../state/api.js'
import { fieldName, texts } from '../texts.js'

interface FieldProps {
  readonly field: FormField
  readonly text: string
  /** Whether an empty secret keeps the stored one. */
  readonly isKept: boolean
  readonly messages: Failure['violations']
  readonly change: (text: string) => void
}

/** A field of a form, with its bounds and what is wrong with it. */
export const Field = (props: FieldProps) => {
  const { field, isKept, messages } = props
  const id = `field-${field.name}`
  const wrong = messages.map(({ description }) => description).join('; ')
  return html`<div class="field">
    ${field.as === 'flag' ? html`<${Flag} ...${props} id=${id} />` : html`<${Labelled} ...${props} id=${id} />`}
    <p class="none" id=${`${id}-hint`}>${hintOf(field, isKept)}</p>
    <p class="error" id=${`${id}-error`}>${wrong}</p>
  </div>`
}

const hintOf = ({ as, least = 0, most }: FormField, isKept: boolean): string => {
  if (as === 'roles') return texts.rolesHint
  if (as === 'lines') return texts.lines(most ?? 0)
  const bounds = most === undefined ? '' : texts.bounds(least, most)
  return as === 'secret' && isKept ? `${bounds}. ${texts.secretHint}` : bounds
}

interface ControlProps extends FieldProps {
  readonly id: string
}

const Flag = ({ field, text, change, id }: ControlProps) => {
  const onChange = (event: Event) => change(String((event.target as HTMLInputElement).checked))
  return html`<label class="flag">
    <input type="checkbox" id=${id} checked=${text === 'true'} onChange=${onChange} /> ${fieldName(field.name)}
  </label>`
}

const Labelled = (props: ControlProps) => {
  const { field, id } = props
  const isRequired = (field.least ?? 0) > 0 && !field.isOptional
  return html`<label for=${id}>${fieldName(field.name)}${isRequired && html` <span class="none">(${texts.required})</span>`}</label>
    ${control(props, isRequired)}`
}

const control = (
  { field: { as, name }, text, messages, change, id }: ControlProps,
  isRequired: boolean,
) => {
  const common = {
    id,
    value: text,
    onInput: (event: Event) => change((event.target as HTMLInputElement).value),
    'aria-describedby': `${id}-hint ${id}-error`,
    'aria-invalid': messages.length > 0,
    'aria-required': isRequired,
    dir: 'auto',
  }
  if (typeof as === 'object')
    return html`<select ...${common}>
      ${as.map((option) => html`<option value=${option} selected=${option === text}>${texts.values[name]?.[option] ?? option}</option>`)}
    </select>`
  if (as === 'lines' || as === 'roles') return html`<textarea rows="6" ...${common}></textarea>`
  return as === 'secret'
    ? html`<input type="password" autocomplete="new-password" ...${common} />`
    : html`<input type="text" autocomplete="off" ...${common} />`
}
