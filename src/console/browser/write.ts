import { useRef, useState } from 'preact/hooks'
import type { WireField, WireMethod } from '../../transport/wire.js'
import {
  type Call,
  call,
  type Failure,
  type FieldChange,
  type Impact,
  type Json,
  type JsonValue,
  objectIn,
  pathOf,
  type StoredObject,
  withQuery,
} from './api.js'

/** A write: the request, and the state it is based on. */
export interface Write {
  readonly title: string
  /** The effect, as a sentence. */
  readonly effect?: string | undefined
  /** Name of the button that does it, where there is nothing to fill in. */
  readonly confirm?: string
  readonly isDangerous?: boolean
  readonly operation: WireMethod
  /** Ids that the path has; they are not shown. */
  readonly ids: Json
  /** The body's values besides the fields. */
  readonly body?: Json
  readonly fields: readonly FormField[]
  /** The object as the reader saw it, and what reads it again after a conflict; absent for a new object. */
  readonly seen?: { readonly object: StoredObject; readonly get: WireMethod }
}

/** A role, and when it ends. */
export interface RoleChoice {
  readonly roleKey: string
  readonly expiresAt?: string | undefined
}

/** The value of a form field: a text, or the picked roles. */
export type Written = string | readonly RoleChoice[]

/** A field of a form, with the bounds of the interface. */
export interface FormField {
  readonly name: string
  readonly as:
    | 'text'
    | 'secret'
    | 'lines'
    | 'roles'
    | 'roleKeys'
    | 'provider'
    | 'project'
    | 'hidden'
    | 'flag'
    | readonly string[]
  readonly least: number
  readonly most: number | undefined
  readonly isRequired: boolean
  /** Whether an empty text is sent, to empty the field or to have the server say that it must not be empty. */
  readonly isSentEmpty: boolean
}

/** The fields among `names` that an operation takes. */
export const fieldsOf = ({ request, verb }: WireMethod, names: readonly string[]) =>
  names.flatMap((name): readonly FormField[] => {
    const field = request.fields.find((each) => each.name === name)
    if (!field) return []
    const { least = 0, most, isOptional = false, isRequired = false } = field
    const as = controlOf(field)
    // In a patch every field is optional, and stays as it is when it is left out.
    const [isNeeded, isSentEmpty] =
      verb === 'PATCH'
        ? [least > 0, as !== 'secret']
        : [isRequired, verb === 'PUT' ? !isOptional : isRequired]
    return [{ name, as, least, most, isRequired: isNeeded, isSentEmpty }]
  })

const controlOf = (field: WireField): FormField['as'] => {
  if (field.name === 'clientSecret') return 'secret'
  if (field.name === 'idpId') return 'provider'
  if (field.name === 'projectId') return 'project'
  // Chosen with the project.
  if (field.name === 'projectOrgId') return 'hidden'
  if (field.name === 'roleKeys') return 'roleKeys'
  if (field.kind === 'enum') return field.values.map(({ name }) => name)
  if (field.kind === 'flag') return 'flag'
  if (!field.isList) return 'text'
  return field.kind === 'message' ? 'roles' : 'lines'
}

/** The result of a dry run, and the headers to send the write with. */
interface Preview {
  readonly changes: readonly FieldChange[]
  readonly impact: Impact | undefined
  readonly etag: string
  readonly key: string
}

interface Tried {
  readonly planned?: { readonly changes?: readonly FieldChange[]; readonly impact?: Impact }
}

/** A write that is previewed with a dry run, then sent with the ETag of the preview. */
export const useWrite = ({ operation, ids, fields, seen, body: fixed }: Write) => {
  const { verb: method = '', hasBody } = operation
  const path = pathOf(operation, ids)
  const [written, setWritten] = useState<Readonly<Record<string, Written>>>(() =>
    Object.fromEntries(
      fields.map((field) => [field.name, writtenOf(field, seen?.object[field.name])]),
    ),
  )
  const [failure, setFailure] = useState<Failure | undefined>()
  const [preview, setPreview] = useState<Preview | undefined>()
  const [reason, setReason] = useState('')
  const [now, setNow] = useState<StoredObject | undefined>()
  const [isBusy, setBusy] = useState(false)
  const etag = useRef(seen && etagOf(seen.object))

  const readAgain = async (get: WireMethod) => {
    const read = await call({ method: 'GET', path: pathOf(get, ids) })
    const found = 'body' in read ? objectIn(read.body, get) : undefined
    if (!found) return
    etag.current = etagOf(found)
    setNow(found)
  }
  const send = async (request: Call) => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await call<Tried>(request)
    setBusy(false)
    if ('body' in outcome) return outcome
    setFailure(outcome.failure)
    setPreview(undefined)
    if (outcome.failure.reason === 'SEQUENCE_MISMATCH' && seen) await readAgain(seen.get)
    return undefined
  }
  return {
    written,
    change: (name: string, value: Written) => setWritten((last) => ({ ...last, [name]: value })),
    failure,
    preview,
    /** Reason of the change; may be empty. */
    reason,
    setReason,
    /** The object as it is now, after a conflict. */
    now,
    isBusy,
    goBack: () => setPreview(undefined),
    tryOut: async (): Promise<void> => {
      const request = hasBody
        ? { path, body: { ...fixed, ...bodyOf(fields, written), validateOnly: true } }
        : { path: withQuery(path, { validate_only: 'true' }) }
      const tried = await send({ method, etag: etag.current, ...request })
      if (!tried) return
      setNow(undefined)
      const { changes = [], impact } = tried.body.planned ?? {}
      setPreview({ changes, impact, etag: tried.etag, key: drawKey() })
    },
    /** Whether it was recorded. */
    save: async (tried: Preview): Promise<boolean> => {
      const known = seen ? tried.etag || etag.current : undefined
      const request = hasBody
        ? { path, body: { ...fixed, ...bodyOf(fields, written), reason } }
        : { path: withQuery(path, { reason }) }
      return (await send({ method, etag: known, key: tried.key, ...request })) !== undefined
    },
  }
}

export const etagOf = ({ details }: StoredObject): string => `"${details.sequence}"`

/** Makes an idempotency key. `randomUUID` would need a secure context. */
export const drawKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const bodyOf = (fields: readonly FormField[], written: Readonly<Record<string, Written>>): Json => {
  const sent = fields.filter(({ name, isSentEmpty }) => written[name]?.length || isSentEmpty)
  return Object.fromEntries(
    sent.map((field) => [field.name, jsonOf(field, written[field.name] ?? '')]),
  )
}

/** The initial value of a field; a secret begins empty. */
const writtenOf = (field: FormField, value: JsonValue | undefined): Written => {
  if (Array.isArray(field.as) && !value) return field.as[0] ?? ''
  const list = Array.isArray(value) ? value : []
  if (field.as === 'roles') return list.map(({ roleKey, expiresAt }) => ({ roleKey, expiresAt }))
  if (field.as === 'roleKeys') return list.map((roleKey) => ({ roleKey }))
  if (field.as === 'secret' || value === undefined || value === null) return ''
  return Array.isArray(value) ? list.join('\n') : String(value)
}

/** The value of a field in a request. */
export const jsonOf = (field: FormField, written: Written): JsonValue => {
  if (typeof written !== 'string')
    return written.map((role) => (field.as === 'roleKeys' ? role.roleKey : { ...role }))
  if (field.as === 'flag') return written === 'true'
  if (field.as === 'roles' || field.as === 'roleKeys') return []
  return field.as === 'lines' ? written.split('\n').filter((line) => line.trim() !== '') : written
}
