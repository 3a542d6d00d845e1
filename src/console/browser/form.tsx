import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Failure, Json, StoredObject } from './api.js'
import { Button, Changes, Consequences, Value } from './display.js'
import { RolesOf } from './names.js'
import { FailureNotice } from './notice.js'
import { ProjectPicker } from './project-picker.js'
import { ProviderPicker } from './provider-picker.js'
import { RolesField } from './roles-field.js'
import { fieldName, say, texts } from './texts.js'
import { type FormField, jsonOf, useWrite, type Write, type Written } from './write.js'

interface WriteDialogProps {
  readonly write: Write
  readonly close: (isDone: boolean) => void
}

/** A dialog that previews a write, then sends it. */
export const WriteDialog = ({ write, close }: WriteDialogProps) => {
  const { title, effect, confirm, isDangerous, fields, seen, ids } = write
  const { written, change, failure, preview, now, isBusy, goBack, tryOut, save, ...why } =
    useWrite(write)
  const dialog = useRef<HTMLDialogElement>(null)
  const hasFields = fields.length > 0
  // Before anything can be typed: a dialog that is not open takes no focus.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    // The focus may lie on a field below the title, which would then be out of sight.
    dialog.current?.scrollTo(0, 0)
    if (!hasFields) void tryOut()
  }, [])
  const onSubmit = async (event: Event) => {
    event.preventDefault()
    if (!preview) return tryOut()
    if (await save(preview)) close(true)
  }
  const isOfNoField = fields.every(({ name }) => violationsOf(failure, name).length === 0)
  const done = confirm ?? texts.save
  const next = now ? texts.useYours : texts.preview
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={() => close(false)}>
      <form onSubmit={onSubmit} noValidate>
        <h2 id="dialog-title">
          <bdi>{title}</bdi>
        </h2>
        {effect && <p>{effect}</p>}
        {!preview &&
          fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              ids={{ ...projectIn(written), ...ids }}
              changeOther={change}
              written={written[field.name] ?? ''}
              isKept={seen !== undefined}
              violations={violationsOf(failure, field.name)}
              change={(value) => change(field.name, value)}
            />
          ))}
        {now && <Conflict fields={fields} seen={seen?.object} now={now} written={written} />}
        {failure && !now && isOfNoField && <FailureNotice failure={failure} />}
        {preview && (
          <div class="preview" role="status">
            <p>{preview.changes.length > 0 ? texts.willChange : texts.noChange}</p>
            <RolesOf object={{ ...projectIn(written), ...ids }}>
              <Changes changes={preview.changes} />
              <Consequences impact={preview.impact} />
            </RolesOf>
          </div>
        )}
        {preview && preview.changes.length > 0 && (
          <ReasonField reason={why.reason} change={why.setReason} />
        )}
        <div class="actions">
          <Button text={texts.cancel} onClick={() => dialog.current?.close()} />
          {preview && hasFields && <Button text={texts.back} onClick={goBack} />}
          <button
            type="submit"
            class={isDangerous ? 'primary danger' : 'primary'}
            disabled={isBusy || preview?.changes.length === 0}
          >
            {preview ? done : next}
          </button>
        </div>
      </form>
    </dialog>
  )
}

interface ReasonFieldProps {
  readonly reason: string
  readonly change: (reason: string) => void
}

/** Why a change is made. It may stay empty. */
export const ReasonField = ({ reason, change }: ReasonFieldProps) => (
  <TextField
    label={texts.reason}
    hint={texts.reasonHint}
    most={500}
    isOptional
    value={reason}
    change={change}
  />
)

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly hint?: string
  readonly isSecret?: boolean
  readonly isOptional?: boolean
  /** Most characters. */
  readonly most?: number
}

/** A field of one line. */
export const TextField = ({
  label,
  value,
  change,
  hint,
  isSecret,
  isOptional = false,
  most = 400,
}: TextFieldProps) => {
  const id = useId()
  const shared = {
    id,
    value,
    required: !isOptional,
    maxLength: most,
    autocomplete: 'off',
    dir: 'auto',
    'aria-describedby': hint && `${id}-hint`,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      change(currentTarget.value),
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isSecret ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
      {hint && (
        <p class="none" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** The violations of a field or a part of it. */
const violationsOf = (failure: Failure | undefined, name: string): Failure['violations'] =>
  failure?.violations.filter(
    ({ field }) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`),
  ) ?? []

interface FieldProps {
  readonly field: FormField
  readonly written: Written
  /** Ids of the object, or of what it lies in. */
  readonly ids: Json
  /** Whether an empty secret keeps the stored one. */
  readonly isKept: boolean
  readonly violations: Failure['violations']
  readonly change: (written: Written) => void
  /** Changes another field, which depends on this one. */
  readonly changeOther: (name: string, written: Written) => void
}

/** The project that a form chooses, if it chooses one. */
const projectIn = ({
  projectId = '',
  projectOrgId = '',
}: Readonly<Record<string, Written>>): Json =>
  projectId === '' ? {} : { projectId: String(projectId), projectOrgId: String(projectOrgId) }

/** A field of a form, with its bounds and what is wrong with it. */
const Field = (props: FieldProps) => {
  const { field, isKept, violations, written, change, ids } = props
  const id = `field-${field.name}`
  const label = fieldName(field.name)
  const error = violations.map(({ description }) => description).join('; ')
  const { as } = field
  if (as === 'hidden') return null
  if (as === 'project')
    return (
      <ProjectPicker
        label={label}
        chosen={String(written)}
        change={(project) => {
          change(project?.projectId ?? '')
          props.changeOther('projectOrgId', project?.projectOrgId ?? '')
          props.changeOther('roleKeys', [])
        }}
        error={error}
      />
    )
  if ((as === 'roles' || as === 'roleKeys') && !ids['projectId']) return null
  if (as === 'roles' || as === 'roleKeys')
    return (
      <RolesField
        key={String(ids['projectId'])}
        label={label}
        project={{
          projectId: String(ids['projectId']),
          projectOrgId: ids['projectOrgId'] || undefined,
        }}
        chosen={typeof written === 'string' ? [] : written}
        change={change}
        hasExpiry={as === 'roles'}
        error={error}
      />
    )
  if (as === 'provider')
    return <ProviderPicker label={label} chosen={String(written)} change={change} error={error} />
  return (
    <div class="field">
      <Control {...props} id={id} />
      <p class="none" id={`${id}-hint`}>
        {hintOf(field, isKept)}
      </p>
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    </div>
  )
}

const hintOf = ({ as, least, most, isRequired }: FormField, isKept: boolean): string => {
  if (most === undefined) return ''
  if (as === 'lines') return say(texts.lines, { most })
  const shown = isRequired && least > 0 ? texts.bounds : texts.atMost
  const bounds = say(shown, { least, most })
  return as === 'secret' && isKept ? `${bounds}. ${texts.secretHint}` : bounds
}

const Control = ({
  field,
  written,
  violations,
  change,
  id,
}: FieldProps & { readonly id: string }) => {
  const { as, name, isRequired } = field
  const text = String(written)
  if (as === 'flag')
    return (
      <label class="flag">
        <input
          type="checkbox"
          id={id}
          checked={text === 'true'}
          onChange={({ currentTarget }) => change(String(currentTarget.checked))}
        />{' '}
        {fieldName(name)}
      </label>
    )
  const common = {
    id,
    value: text,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      change(currentTarget.value),
    'aria-describedby': `${id}-hint ${id}-error`,
    'aria-invalid': violations.length > 0,
    'aria-required': isRequired,
    dir: 'auto' as const,
  }
  return (
    <>
      <label for={id}>
        {fieldName(name)}
        {isRequired && (
          <>
            {' '}
            <span class="none">({texts.required})</span>
          </>
        )}
      </label>
      {typeof as === 'object' ? (
        <select {...common}>
          {as.map((option) => (
            <option value={option} selected={option === text}>
              {texts.values[name]?.[option] ?? option}
            </option>
          ))}
        </select>
      ) : as === 'lines' ? (
        <textarea rows={6} {...common} />
      ) : as === 'secret' ? (
        <input type="password" autocomplete="new-password" {...common} />
      ) : (
        <input type="text" autocomplete="off" {...common} />
      )}
    </>
  )
}

interface ConflictProps {
  readonly fields: readonly FormField[]
  readonly seen: StoredObject | undefined
  readonly now: StoredObject
  readonly written: Readonly<Record<string, Written>>
}

/** The changes that somebody else has made meanwhile, next to those that the reader saw and wrote. */
const Conflict = ({ fields, seen, now, written }: ConflictProps) => {
  const names = new Set([...Object.keys(now), ...Object.keys(seen ?? {})])
  const changed = [...names].filter(
    (name) => name !== 'details' && JSON.stringify(now[name]) !== JSON.stringify(seen?.[name]),
  )
  const yours = (name: string) => {
    const field = fields.find((each) => each.name === name)
    return field && jsonOf(field, written[name] ?? '')
  }
  return (
    <div class="notice bad" role="alert">
      <p>{texts.conflict}</p>
      <section class="wide compare" tabIndex={0} aria-label={texts.conflict}>
        <table>
          <thead>
            <tr>
              {[texts.conflictSaw, texts.conflictNow, texts.conflictYours].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {changed.map((name) => (
            <tbody key={name}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {fieldName(name)}
                </th>
              </tr>
              <tr>
                {[seen?.[name], now[name], yours(name)].map((value) => (
                  <td>
                    <Value of={value} field={name} />
                  </td>
                ))}
              </tr>
            </tbody>
          ))}
        </table>
      </section>
    </div>
  )
}
