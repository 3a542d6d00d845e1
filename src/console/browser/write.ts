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

/** A write: what is sent, and what it is decided on. */
export interface Write {
  readonly title: string
  readonly operation: WireMethod
  /** Ids that the path has; they are not shown. */
  readonly ids: Json
  readonly fields: readonly FormField[]
  /** The object as the reader saw it, and what reads it again after a conflict; absent for a new object. */
  readonly seen?: { readonly object: StoredObject; readonly get: WireMethod }
}

/** A field of a form, with the bounds of the interface. */
export interface FormField {
  readonly name: string
  readonly as: 'text' | 'secret' | 'lines' | 'roles' | 'flag' | readonly string[]
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
  if (field.kind === 'enum') return field.values.map(({ name }) => name)
  if (field.kind === 'flag') return 'flag'
  if (!field.isList) return 'text'
  return field.kind === 'message' ? 'roles' : 'lines'
}

/** What a dry run showed, and what the write is sent with. */
interface Preview {
  readonly changes: readonly FieldChange[]
  readonly impact: Impact | undefined
  readonly etag: string
  readonly key: string
}

interface Tried {
  readonly planned?: { readonly changes?: readonly FieldChange[]; readonly impact?: Impact }
}

/** A write that is tried first, then sent with the ETag of what was tried. */
export const useWrite = ({ operation, ids, fields, seen }: Write) => {
  const { verb: method = '', hasBody } = operation
  const path = pathOf(operation, ids)
  const [written, setWritten] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      fields.map((field) => [field.name, textOf(field, seen?.object[field.name])]),
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
    change: (name: string, text: string) => setWritten((last) => ({ ...last, [name]: text })),
    failure,
    preview,
    /** Why it is written; kept with the change unless it is empty. */
    reason,
    setReason,
    /** The object as it is now, after a conflict. */
    now,
    isBusy,
    goBack: () => setPreview(undefined),
    tryOut: async (): Promise<void> => {
      const request = hasBody
        ? { path, body: { ...bodyOf(fields, written), validateOnly: true } }
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
        ? { path, body: { ...bodyOf(fields, written), reason } }
        : { path: withQuery(path, { reason }) }
      return (await send({ method, etag: known, key: tried.key, ...request })) !== undefined
    },
  }
}

const etagOf = ({ details }: StoredObject): string => `"${details.sequence}"`

/** Draws an idempotency key. `randomUUID` would need a secure context. */
const drawKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const bodyOf = (fields: readonly FormField[], written: Readonly<Record<string, string>>): Json => {
  const sent = fields.filter(({ name, isSentEmpty }) => written[name] || isSentEmpty)
  return Object.fromEntries(
    sent.map((field) => [field.name, jsonOf(field, written[field.name] ?? '')]),
  )
}

/** The text that a field begins with; a secret begins empty. */
const textOf = (field: FormField, value: JsonValue | undefined): string => {
  if (Array.isArray(field.as) && !value) return field.as[0] ?? ''
  if (field.as === 'secret' || value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(lineOf).join('\n') : String(value)
}

const lineOf = (item: JsonValue): string => {
  if (typeof item !== 'object' || item === null || !('roleKey' in item)) return String(item)
  return [item['roleKey'], item['expiresAt']].filter(Boolean).join(' ')
}

/** The value of a field in a request. */
export const jsonOf = (field: FormField, text: string): JsonValue => {
  if (field.as === 'flag') return text === 'true'
  // Spaces are part of a key.
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (field.as === 'lines') return lines
  return field.as === 'roles' ? lines.map(roleOf) : text
}

const EXPIRY = /^(.*) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/

/** A role key, and after a space its expiry. Its seconds may be left out. */
const roleOf = (line: string): Json => {
  const [, roleKey, expiresAt] = EXPIRY.exec(line) ?? []
  if (roleKey === undefined || expiresAt === undefined) return { roleKey: line }
  const hasSeconds = expiresAt.length > '2027-01-31T00:00Z'.length
  return { roleKey, expiresAt: hasSeconds ? expiresAt : expiresAt.replace('Z', ':00Z') }
}
