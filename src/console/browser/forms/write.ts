import { useRef, useState } from 'preact/hooks'
import type { FormField } from '../kinds.js'
import { type Call, call, drawKey, type Failure, type Json } from '../state/api.js'
import { jsonOf, textOf } from './field-text.js'

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

/** What a dry run showed, and what the write is sent with. */
export interface Preview {
  readonly changes: readonly Json[]
  readonly etag: string
  readonly key: string
}

type Texts = Readonly<Record<string, string>>

/** An empty text is sent where it says something: to empty a field, or to be told that it must not be empty. */
const isSent = (
  { as, most, least, isOptional }: FormField,
  text: string,
  isNew: boolean,
): boolean =>
  text !== '' || (as !== 'secret' && !isOptional && !(isNew && most !== undefined && !least))

const bodyOf = ({ fields, fixed, seen }: Write, written: Texts): Json => {
  const sent = fields.filter((field) => isSent(field, written[field.name] ?? '', !seen))
  const values = sent.map((field) => [field.name, jsonOf(field, written[field.name] ?? '')])
  return { ...fixed, ...Object.fromEntries(values) }
}

const etagOf = (object: Json): string => `"${String((object['details'] as Json)['sequence'])}"`

/** A write that is tried first, then sent with the ETag of what was tried. */
export const useWrite = (write: Write) => {
  const { method, path, fields, seen, hasBody = true, readPath, answer = '' } = write
  const [written, setWritten] = useState<Texts>(() =>
    Object.fromEntries(fields.map((field) => [field.name, textOf(field, seen?.[field.name])])),
  )
  const [failure, setFailure] = useState<Failure | undefined>()
  const [preview, setPreview] = useState<Preview | undefined>()
  const [now, setNow] = useState<Json | undefined>()
  const [isBusy, setBusy] = useState(false)
  const etag = useRef(write.etag)

  const readAgain = async () => {
    const read = await call({ method: 'GET', path: readPath ?? path })
    if (!('ok' in read)) return
    const found = read.ok.body[answer] as Json
    etag.current = etagOf(found)
    setNow(found)
  }
  const send = async (more: Partial<Call>, isTried: boolean) => {
    const tried = isTried && !hasBody ? `${path.includes('?') ? '&' : '?'}validate_only=true` : ''
    const body = { ...bodyOf(write, written), ...(isTried && { validateOnly: true }) }
    const sent = { method, path: path + tried, etag: etag.current, ...more }
    setBusy(true)
    setFailure(undefined)
    const outcome = await call({ ...sent, body: hasBody ? body : undefined })
    setBusy(false)
    if ('ok' in outcome) return outcome.ok
    setFailure(outcome.failure)
    setPreview(undefined)
    if (outcome.failure.reason === 'SEQUENCE_MISMATCH' && readPath) await readAgain()
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
    tryOut: async () => {
      const answered = await send({}, true)
      if (!answered) return
      const planned = answered.body['planned'] as Json | undefined
      const changes = (planned?.['changes'] ?? []) as readonly Json[]
      setNow(undefined)
      setPreview({ changes, etag: answered.etag, key: drawKey() })
    },
    /** Whether it was recorded. */
    save: async (tried: Preview): Promise<boolean> => {
      const known = seen ? tried.etag || etag.current : undefined
      return (await send({ etag: known, key: tried.key }, false)) !== undefined
    },
  }
}
