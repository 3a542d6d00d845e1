import { useRef, useState } from 'preact/hooks'
import {
  type Call,
  call,
  type Failure,
  type FieldChange,
  type Json,
  type JsonValue,
  objectIn,
  type StoredObject,
  withQuery,
} from './api.js'
import type { FormField } from './object-types.js'

/** A write: what is sent, and what it is decided on. */
export interface Write {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly fields: readonly FormField[]
  /** The object as the reader saw it. */
  readonly seen?: StoredObject
  readonly etag?: string
  /** Where the object is read again after a conflict. */
  readonly readPath?: string
  /** Name of the object in the answer. */
  readonly answer?: string
  readonly hasBody?: boolean
  /** Sent with the fields, and not shown. */
  readonly fixed?: Json | undefined
}

/** What a dry run showed, and what the write is sent with. */
interface Preview {
  readonly changes: readonly FieldChange[]
  readonly etag: string
  readonly key: string
}

interface Tried {
  readonly planned?: { readonly changes?: readonly FieldChange[] }
}

export const etagOf = ({ details }: StoredObject): string => `"${details.sequence}"`

/** A write that is tried first, then sent with the ETag of what was tried. */
export const useWrite = (write: Write) => {
  const { method, path, fields, seen, hasBody = true, readPath, answer = '' } = write
  const [written, setWritten] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, textOf(field, seen?.[field.name])])),
  )
  const [failure, setFailure] = useState<Failure | undefined>()
  const [preview, setPreview] = useState<Preview | undefined>()
  const [now, setNow] = useState<StoredObject | undefined>()
  const [isBusy, setBusy] = useState(false)
  const etag = useRef(write.etag)

  const readAgain = async (from: string) => {
    const read = await call({ method: 'GET', path: from })
    const found = 'body' in read ? objectIn(read.body, answer) : undefined
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
    if (outcome.failure.reason === 'SEQUENCE_MISMATCH' && readPath) await readAgain(readPath)
    return undefined
  }
  return {
    written,
    change: (name: string, text: string) => setWritten((last) => ({ ...last, [name]: text })),
    failure,
    preview,
    /** The object as it is now, after a conflict. */
    now,
    isBusy,
    goBack: () => setPreview(undefined),
    tryOut: async (): Promise<void> => {
      const request = hasBody
        ? { path, body: { ...bodyOf(write, written), validateOnly: true } }
        : { path: withQuery(path, { validate_only: 'true' }) }
      const tried = await send({ method, etag: etag.current, ...request })
      if (!tried) return
      setNow(undefined)
      setPreview({ changes: tried.body.planned?.changes ?? [], etag: tried.etag, key: drawKey() })
    },
    /** Whether it was recorded. */
    save: async (tried: Preview): Promise<boolean> => {
      const known = seen ? tried.etag || etag.current : undefined
      const body = hasBody ? bodyOf(write, written) : undefined
      return (await send({ method, path, body, etag: known, key: tried.key })) !== undefined
    },
  }
}

/** Draws an idempotency key. `randomUUID` would need a secure context. */
const drawKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const bodyOf = (
  { fields, fixed, seen }: Write,
  written: Readonly<Record<string, string>>,
): Json => {
  const sent = fields.filter((field) => isSent(field, written[field.name] ?? '', !seen))
  const values = sent.map((field) => [field.name, jsonOf(field, written[field.name] ?? '')])
  return { ...fixed, ...Object.fromEntries(values) }
}

/** An empty text is sent to empty a field, and to have the server refuse it where it must not be empty. */
const isSent = ({ as, most, least, isOptional }: FormField, text: string, isNew: boolean) =>
  text !== '' || (as !== 'secret' && !isOptional && !(isNew && most !== undefined && !least))

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
