import { useEffect, useId } from 'preact/hooks'
import type { Failure, Json, JsonValue } from './api.js'
import { Flag, Opener } from './button.js'
import { DateInput } from './dates.js'
import { Dialog } from './dialog.js'
import { Changes, Consequences, Time, Value } from './display.js'
import { nameOf, organizationNameOf } from './known.js'
import { RolesOf } from './names.js'
import { FailureNotice, sayFailure, sayViolation } from './notice.js'
import { findOrganizations } from './people.js'
import { Picker } from './picker.js'
import { ProjectPicker } from './project-picker.js'
import { ProviderPicker } from './provider-picker.js'
import { reloadAll } from './query.js'
import { RolesField } from './roles-field.js'
import { Table } from './rows.js'
import { settings } from './settings.js'
import { tell } from './status.js'
import { fieldName, Say, say, texts } from './texts.js'
import {
  type FormField,
  isChanged,
  jsonOf,
  type Undo,
  useForm,
  type Write,
  type Written,
  writeAll,
} from './write.js'

/** Says that something was done, shows it everywhere, and offers to undo it. */
export const announce = (text: string, { steps, left }: Undo = { steps: [] }): void => {
  const undo = async () => {
    const failure = await writeAll(steps)
    reloadAll()
    if (!failure) return left
    if (isChanged(failure)) return texts.notUndoneSince
    return say(texts.notUndone, { message: sayFailure(failure) })
  }
  reloadAll()
  tell(text, steps.length > 0 ? undo : undefined)
}

interface WriteButtonProps {
  readonly text: string
  readonly look?: 'primary'
  readonly write: Write
}

/** A button that opens the dialog of a write. */
export const WriteButton = ({ write, ...button }: WriteButtonProps) => (
  <Opener {...button} dialog={(close) => <WriteDialog write={write} close={close} />} />
)

interface WriteDialogProps {
  readonly write: Write
  readonly close: (isDone: boolean) => void
}

/** A dialog that previews a write, then sends it. */
export const WriteDialog = ({ write, close }: WriteDialogProps) => {
  const {
    title,
    effect,
    confirm,
    isDangerous = false,
    fields,
    seen,
    ids,
    said = texts.saved,
  } = write
  const form = useForm(write)
  const { written, change, failure, preview, conflict, isBusy, tryOut } = form
  const hasFields = fields.length > 0
  useEffect(() => {
    if (!hasFields) void tryOut()
  }, [])
  const submit = async () => {
    if (conflict) return form.settle(true)
    if (!preview) return tryOut()
    const undo = await form.save(preview)
    if (!undo) return
    announce(said, undo)
    close(true)
  }
  const isOfNoField = fields.every(({ name }) => violationsOf(failure, name).length === 0)
  const next = conflict ? texts.overwrite : texts.preview
  const project = { ...projectIn(written), ...ids }
  return (
    <Dialog
      title={title}
      close={() => close(false)}
      submit={submit}
      back={hasFields && preview ? form.goBack : undefined}
      isFilled={form.isFilled}
      done={{
        text: preview ? (confirm ?? texts.save) : next,
        isOff: isBusy || preview?.changes.length === 0,
        isDangerous,
      }}
    >
      {effect && <p>{effect}</p>}
      {!preview &&
        !conflict &&
        fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            ids={project}
            changeOther={change}
            written={written[field.name] ?? ''}
            isKept={seen !== undefined}
            violations={violationsOf(failure, field.name)}
            change={(value) => change(field.name, value)}
          />
        ))}
      {conflict && (
        <ConflictNotice conflict={conflict} written={written} take={() => form.settle(false)} />
      )}
      {failure && isOfNoField && <FailureNotice failure={failure} />}
      {preview && (
        <div class="preview" role="status">
          <p>{preview.changes.length > 0 ? texts.willChange : texts.noChange}</p>
          <RolesOf object={project}>
            {!seen && <Subject fields={fields} written={written} />}
            <Changes changes={preview.changes} />
            <Consequences impact={preview.impact} />
            {preview.warnings.map(({ description }) => (
              <p key={description} class="notice">
                {description}
              </p>
            ))}
          </RolesOf>
        </div>
      )}
      {preview && preview.changes.length > 0 && (
        <ReasonField reason={form.reason} change={form.setReason} />
      )}
    </Dialog>
  )
}

interface SubjectProps {
  readonly fields: readonly FormField[]
  readonly written: Readonly<Record<string, Written>>
}

/** The fields that name a new object: a dry run does not say them. */
const NAMING = ['projectId', 'grantedOrgId', 'idpId', 'group', 'userId', 'id', 'roleKey', 'domain']

/** What a new object is, and what it is for. */
const Subject = ({ fields, written }: SubjectProps) => (
  <dl class="changes">
    {fields
      .filter(({ name }) => NAMING.includes(name) && written[name]?.length)
      .map((field) => (
        <div key={field.name}>
          <dt>{fieldName(field.name)}</dt>
          <dd>
            <Value
              of={jsonOf(field, written[field.name] ?? '')}
              field={field.name}
              row={projectIn(written)}
            />
          </dd>
        </div>
      ))}
  </dl>
)

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
  const error = violations.map(({ description }) => sayViolation(description)).join('; ')
  const { as } = field
  if (as === 'hidden') return null
  if (as === 'project')
    return (
      <ProjectPicker
        label={label}
        chosen={String(written)}
        owner={ids['projectOrgId'] ? String(ids['projectOrgId']) : undefined}
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
        key={`${ids['projectId']} ${ids['projectOrgId']}`}
        label={label}
        project={{
          projectId: String(ids['projectId']),
          projectOrgId: ids['projectOrgId'] ? String(ids['projectOrgId']) : undefined,
        }}
        chosen={typeof written === 'string' ? [] : written}
        change={change}
        hasExpiry={as === 'roles'}
        error={error}
      />
    )
  if (field.name === 'grantedOrgId' && settings.hasOrganizations)
    return (
      <Picker
        label={label}
        chosen={written ? [{ id: String(written), name: organizationNameOf(String(written)) }] : []}
        change={([organization]) => change(organization?.id ?? '')}
        find={findOrganizations}
        hint={texts.pickOrganization}
        error={error}
      />
    )
  if (as === 'provider')
    return (
      <ProviderPicker
        {...{ label, change, error }}
        chosen={String(written)}
        picksOnly={field.isRequired}
      />
    )
  return (
    <div class="field">
      <Control {...props} id={id} />
      <p class="none" id={`${id}-hint`}>
        {hintOf(field, isKept)}
      </p>
      <p class="error" id={`${id}-error`} aria-live="polite">
        {error}
      </p>
    </div>
  )
}

const hintOf = ({ name, as, least, most, isRequired }: FormField, isKept: boolean): string => {
  const about = texts.hints[name] ?? ''
  if (as === 'lines' && most !== undefined) return `${about} ${say(texts.lines, { most })}`.trim()
  if (about || most === undefined || as === 'date') return about
  const bound = isRequired && least > 0 ? texts.bounds : texts.atMost
  const bounds = say(bound, { least, most })
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
      <Flag id={id} isOn={text === 'true'} change={(isOn) => change(String(isOn))}>
        {fieldName(name)}
      </Flag>
    )
  if (as === 'date') return <DateInput text={fieldName(name)} at={text} change={change} />
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
  readonly conflict: NonNullable<ReturnType<typeof useForm>['conflict']>
  readonly written: Readonly<Record<string, Written>>
  /** Takes the values of the other. */
  readonly take: () => void
}

/** The fields that somebody else has changed meanwhile too: both values of each, side by side. */
const ConflictNotice = ({ conflict: { now, fields, by }, written, take }: ConflictProps) => {
  const { userId } = Object(by?.['actor'])
  const column = (
    name: string,
    title: string,
    of: (field: FormField) => JsonValue | undefined,
  ) => ({
    ...{ name, title },
    cell: (field: FormField) => <Value of={of(field)} field={field.name} row={now} />,
  })
  return (
    <div class="notice bad" role="alert">
      <p>
        {userId && by ? (
          <Say
            text={texts.conflictBy}
            name={<bdi>{nameOf(String(userId))}</bdi>}
            time={<Time at={String(by['time'])} />}
          />
        ) : (
          texts.conflict
        )}
      </p>
      <RolesOf object={now}>
        <Table
          label={texts.conflict}
          rows={fields}
          columns={[
            { name: 'field', title: texts.field, cell: ({ name }) => fieldName(name) },
            column('now', texts.conflictNow, ({ name }) => now[name]),
            column('yours', texts.conflictYours, (field) =>
              jsonOf(field, written[field.name] ?? ''),
            ),
          ]}
        />
      </RolesOf>
      <button type="button" onClick={take}>
        {texts.takeTheirs}
      </button>
    </div>
  )
}
