import { useEffect, useRef, useState } from 'preact/hooks'
import type { FormField } from '../kinds.js'
import { type Call, call, drawKey, type Failure, type Json, type JsonValue } from '../state/api.js'
import { fieldName, texts } from '../texts.js'
import { html } from './html.js'
import { FailureNotice } from './notice.js'
import { Changes, Value } from './values.js'

/** A write: what is sent, and what it is decided on. */
export interface Write {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly fields: readonly FormField[]
  /** The object as the reader saw it. */
  readonly seen?: Json | undefined
  readonly etag?: string | undefined
  /** Where the object is read again after a conflict. */
  readonly readPath?: string | undefined
  /** Name of the object in the answer. */
  readonly answer?: string | undefined
  readonly hasBody?: boolean
  /** Sent with the fields, and not shown. */
  readonly fixed?: Json
}

const asText = (field: FormField, value: JsonValue | undefined): string => {
  if (field.as === 'secret' || value === undefined || value === null) return ''
  if (Array.isArray(value))
    return value
      .map((item) =>
        typeof item === 'object'
          ? [item.roleKey, item.expiresAt].filter(Boolean).join(' ')
          : String(item),
      )
      .join('\n')
  return String(value)
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const EXPIRY = /^(.*) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/

const asJson = (field: FormField, text: string): JsonValue => {
  if (field.as === 'flag') return text === 'true'
  if (field.as === 'lines') return linesOf(text)
  if (field.as !== 'roles') return text
  return linesOf(text).map((line) => {
    const [, roleKey, expiresAt] = EXPIRY.exec(line) ?? []
    const full = expiresAt?.length === 17 ? expiresAt.replace('Z', ':00Z') : expiresAt
    return roleKey === undefined || full === undefined
      ? { roleKey: line }
      : { roleKey, expiresAt: full }
  })
}

/** A dialog that previews a write, then sends it with the ETag of what was previewed. */
export const WriteDialog = ({
  write,
  close,
}: {
  readonly write: Write
  readonly close: (isDone: boolean) => void
}) => {
  const { title, method, path, fields, seen, hasBody = true, fixed, readPath, answer = '' } = write
  const dialog = useRef<HTMLDialogElement>(null)
  const [texted, setTexted] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      fields.map((field) => [
        field.name,
        asText(field, seen?.[field.name]) || (Array.isArray(field.as) ? (field.as[0] ?? '') : ''),
      ]),
    ),
  )
  const [failure, setFailure] = useState<Failure | undefined>()
  const [plan, setPlan] = useState<
    { changes: readonly Json[]; etag: string; key: string } | undefined
  >()
  const [now, setNow] = useState<Json | undefined>()
  const etag = useRef(write.etag)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    dialog.current?.showModal()
    if (fields.length === 0) void preview()
  }, [])

  const bodyOf = (): Json => {
    const given = fields.filter(
      ({ name, as, most, least, isOptional }) =>
        texted[name] !== '' ||
        (as !== 'secret' && !isOptional && !(seen === undefined && most && !least)),
    )
    return {
      ...fixed,
      ...Object.fromEntries(
        given.map((field) => [field.name, asJson(field, texted[field.name] ?? '')]),
      ),
    }
  }
  const request = (more: Partial<Call>): Call => ({
    method,
    path:
      hasBody || !more.body ? path : `${path}${path.includes('?') ? '&' : '?'}validate_only=true`,
    etag: etag.current,
    ...more,
    body: hasBody ? { ...bodyOf(), ...more.body } : undefined,
  })
  const run = async (more: Partial<Call>) => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await call(request(more))
    setBusy(false)
    if ('ok' in outcome) return outcome.ok
    setFailure(outcome.failure)
    if (outcome.failure.reason === 'SEQUENCE_MISMATCH' && readPath) {
      const read = await call({ method: 'GET', path: readPath })
      if ('ok' in read) {
        etag.current = `"${String((read.ok.body[answer] as Json | undefined)?.['details'] && ((read.ok.body[answer] as Json)['details'] as Json)['sequence'])}"`
        setNow(read.ok.body[answer] as Json)
      }
    }
    setPlan(undefined)
    return undefined
  }
  const preview = async () => {
    const answered = await run({ body: { validateOnly: true } })
    if (!answered) return
    const planned = answered.body['planned'] as Json | undefined
    setNow(undefined)
    setPlan({
      changes: (planned?.['changes'] ?? []) as readonly Json[],
      etag: answered.etag,
      key: drawKey(),
    })
  }
  const save = async () => {
    if (!plan) return
    if (await run({ etag: seen ? plan.etag || etag.current : undefined, key: plan.key }))
      close(true)
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    void (plan ? save() : preview())
  }
  const messages = (name: string) =>
    failure?.violations.filter(
      ({ field }) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`),
    ) ?? []
  const isElsewhere =
    failure &&
    !now &&
    failure.violations.every(({ field }) => !fields.some(({ name }) => field.startsWith(name)))
  const conflict =
    now &&
    fields.filter((field) => JSON.stringify(now[field.name]) !== JSON.stringify(seen?.[field.name]))
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${() => close(false)}>
    <form onSubmit=${onSubmit} novalidate>
      <h2 id="dialog-title">${title}</h2>
      ${
        !plan &&
        fields.map(
          (
            field,
          ) => html`<${Field} key=${field.name} field=${field} text=${texted[field.name] ?? ''} isKept=${seen !== undefined} messages=${messages(field.name)}
        change=${(text: string) => setTexted((last) => ({ ...last, [field.name]: text }))} />`,
        )
      }
      ${
        conflict &&
        html`<div class="notice bad" role="alert"><p>${texts.conflict}</p>
        <div class="window" tabindex="0" role="region" aria-label=${texts.conflict}><table><thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.conflictSaw}</th><th scope="col">${texts.conflictNow}</th><th scope="col">${texts.conflictYours}</th></tr></thead><tbody>
        ${conflict.map((field) => html`<tr><th scope="row">${fieldName(field.name)}</th><td><${Value} of=${seen?.[field.name]} /></td><td><${Value} of=${now[field.name]} /></td><td><${Value} of=${asJson(field, texted[field.name] ?? '')} /></td></tr>`)}
        </tbody></table></div></div>`
      }
      ${isElsewhere && html`<${FailureNotice} failure=${failure} />`}
      ${plan && html`<div class="preview" role="status"><p>${plan.changes.length > 0 ? texts.willChange : texts.noChange}</p><${Changes} changes=${plan.changes} /></div>`}
      <div class="actions">
        <button type="button" onClick=${() => dialog.current?.close()}>${texts.cancel}</button>
        ${plan && fields.length > 0 && html`<button type="button" onClick=${() => setPlan(undefined)}>${texts.back}</button>`}
        <button type="submit" class="primary" disabled=${isBusy || plan?.changes.length === 0}>${plan ? (fields.length > 0 ? texts.save : texts.confirm) : conflict ? texts.useYours : texts.preview}</button>
      </div>
    </form></dialog>`
}

interface FieldProps {
  readonly field: FormField
  readonly text: string
  readonly isKept: boolean
  readonly messages: Failure['violations']
  readonly change: (text: string) => void
}

const hintOf = ({ as, least = 0, most }: FormField, isKept: boolean): string => {
  if (as === 'roles') return texts.rolesHint
  if (as === 'lines') return texts.lines(most ?? 0)
  const bounds = most === undefined ? '' : texts.bounds(least, most)
  return as === 'secret' && isKept ? `${bounds}. ${texts.secretHint}` : bounds
}

const Field = ({ field, text, isKept, messages, change }: FieldProps) => {
  const { name, as } = field
  const isRequired = (field.least ?? 0) > 0 && !field.isOptional
  const id = `field-${name}`
  const described = `${id}-hint ${id}-error`
  const onInput = (event: Event) => change((event.target as HTMLInputElement).value)
  const common = {
    id,
    value: text,
    onInput,
    'aria-describedby': described,
    'aria-invalid': messages.length > 0,
    'aria-required': isRequired,
    dir: 'auto',
  }
  const isArea = as === 'lines' || as === 'roles'
  return html`<div class="field">
    ${
      as === 'flag'
        ? html`<label class="flag"><input type="checkbox" id=${id} checked=${text === 'true'} onChange=${(event: Event) => change(String((event.target as HTMLInputElement).checked))} /> ${fieldName(name)}</label>`
        : html`<label for=${id}>${fieldName(name)}${isRequired && html` <span class="none">(${texts.required})</span>`}</label>
        ${
          typeof as === 'object'
            ? html`<select ...${common}>${as.map((option) => html`<option value=${option} selected=${option === text}>${texts.values[option] ?? option}</option>`)}</select>`
            : isArea
              ? html`<textarea rows="4" ...${common}></textarea>`
              : html`<input type=${as === 'secret' ? 'password' : 'text'} autocomplete=${as === 'secret' ? 'new-password' : 'off'} ...${common} />`
        }`
    }
    <p class="none" id=${`${id}-hint`}>${hintOf(field, isKept)}</p>
    <p class="error" id=${`${id}-error`}>${messages.map(({ description }) => description).join('; ')}</p>
  </div>`
}
