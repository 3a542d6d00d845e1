import { useState } from 'preact/hooks'
import type { WireField, WireMethod } from '../../transport/wire.js'
import {
  call,
  type Failure,
  type FieldChange,
  type Impact,
  type Json,
  type JsonValue,
  type Outcome,
  objectIn,
  pagesOf,
  pathOf,
  requestOf,
  rowsIn,
  type StoredObject,
} from './api.js'

/** What a call of an operation sends. */
export interface Step {
  readonly operation: WireMethod
  readonly values: Json
  /** The object must be as it was then. */
  readonly etag?: string | undefined
  /** What follows once it is done. */
  readonly next?: Step
}

interface WriteOptions {
  readonly etag?: string | undefined
  /** Idempotency key. */
  readonly key?: string
  /** Records nothing. */
  readonly isTrial?: boolean
  readonly reason?: string
}

/** What a dry run would change. */
export interface Planned {
  readonly changes?: readonly FieldChange[]
  readonly impact?: Impact
}

/** What a write would do that its caller may not expect. */
export interface Warning {
  readonly description: string
}

type Answered = Json & { readonly planned?: Planned; readonly warnings?: readonly Warning[] }

/** Sends a write, or tries it out. */
export const write = <Body = Answered>(
  { operation, values, etag: ofStep }: Step,
  { etag = ofStep, key, isTrial = false, reason = '' }: WriteOptions = {},
): Promise<Outcome<Body>> => {
  const more = { ...(isTrial && { validateOnly: true }), ...(reason && { reason }) }
  return call<Body>({ ...requestOf(operation, { ...values, ...more }), etag, key })
}

/** Whether somebody else has changed or removed the object since. */
export const isChanged = ({ reason }: Failure): boolean =>
  ['SEQUENCE_MISMATCH', 'NOT_FOUND'].includes(reason)

/** Sends writes one after the other, except of what somebody else has changed since; returns why one was not done. */
export const writeAll = async (steps: readonly Step[]): Promise<Failure | undefined> => {
  let left: Failure | undefined
  for (const step of steps) {
    const outcome = await write(step, { key: drawKey() })
    const next = 'body' in outcome && step.next ? await writeAll([step.next]) : undefined
    const failure = 'failure' in outcome ? outcome.failure : next
    if (failure && !isChanged(failure)) return failure
    left ??= failure
  }
  return left
}

/** Sends a write at once, for steps that say before what they do. */
export const useWrite = () => {
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isBusy, setBusy] = useState(false)
  /** The answer of a call; undefined when it failed. */
  const run = async <Body = Json>(called: Promise<Outcome<Body>>): Promise<Body | undefined> => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await called
    setBusy(false)
    if ('body' in outcome) return outcome.body
    setFailure(outcome.failure)
    return undefined
  }
  const send = <Body = Json>(operation: WireMethod, values: Json) =>
    run(write<Body>({ operation, values }))
  return { failure, isBusy, run, send }
}

/** A write: the request, and the state it is based on. */
export interface Write {
  readonly title: string
  /** The effect, as a sentence. */
  readonly effect?: string | undefined
  /** Name of the button that does it, where there is nothing to fill in. */
  readonly confirm?: string
  readonly isDangerous?: boolean
  readonly operation: WireMethod
  /** Values besides the fields, such as the ids in the path. */
  readonly ids: Json
  readonly fields: readonly FormField[]
  /** The object as the reader saw it, and what reads it and its history; absent for a new object. */
  readonly seen?: {
    readonly object: StoredObject
    readonly get: WireMethod
    readonly history: WireMethod
  }
  /** How fields lie in an object and in a request, where they are not its own. */
  readonly shape?: {
    readonly read: (object: StoredObject) => StoredObject
    readonly write: (values: Json) => Json
  }
  /** What is said when it is done. */
  readonly said?: string | undefined
  /** Reads, before it is done, what undoes it. A change of fields has an undo of its own. */
  readonly undo?: (() => Promise<Undo>) | undefined
}

/** What undoes a write, and what it leaves undone. */
export interface Undo {
  readonly steps: readonly Step[]
  readonly left?: string | undefined
}
/** A role, and when it ends. */
export type RoleChoice = {
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
    | 'date'
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
interface Preview extends Required<Pick<Planned, 'changes'>> {
  readonly impact: Impact | undefined
  readonly warnings: readonly Warning[]
  readonly etag: string | undefined
  readonly key: string
}

/** Fields that somebody else has changed too, and who that was. */
interface Conflict {
  readonly now: StoredObject
  readonly fields: readonly FormField[]
  readonly by: Json | undefined
}

/** A write that is previewed with a dry run, then sent with the ETag of the preview. */
export const useForm = ({ operation, ids, fields, seen, undo, shape }: Write) => {
  const request = (values: Json): Json => ({ ...ids, ...(shape ? shape.write(values) : values) })
  const initial = (object: StoredObject | undefined) =>
    Object.fromEntries(fields.map((field) => [field.name, writtenOf(field, object?.[field.name])]))
  const [written, setWritten] = useState<Readonly<Record<string, Written>>>(() =>
    initial(seen?.object),
  )
  /** The object that the form is based on: as the reader saw it, or as somebody else has changed it. */
  const [base, setBase] = useState(seen?.object)
  const [failure, setFailure] = useState<Failure | undefined>()
  const [preview, setPreview] = useState<Preview | undefined>()
  const [reason, setReason] = useState('')
  const [conflict, setConflict] = useState<Conflict | undefined>()
  const [isBusy, setBusy] = useState(false)
  const isSame = (field: FormField, value: JsonValue | undefined) =>
    JSON.stringify(jsonOf(field, writtenOf(field, value))) ===
    JSON.stringify(jsonOf(field, written[field.name] ?? ''))
  const mine = fields.filter((field) => !seen || !isSame(field, seen.object[field.name]))

  /** Of an object that exists, only what was changed: what others change meanwhile stays. */
  const valuesOn = (object: StoredObject | undefined): Json => {
    const all = {
      ...initial(object),
      ...Object.fromEntries(mine.map(({ name }) => [name, written[name] ?? ''])),
    }
    return request(bodyOf(seen && operation.verb === 'PATCH' ? mine : fields, all))
  }
  const undoOf = (etag: string): Undo => {
    const isKnown = seen && mine.length > 0 && mine.every(({ as }) => as !== 'secret')
    const before = bodyOf(operation.verb === 'PATCH' ? mine : fields, initial(base))
    return { steps: isKnown ? [{ operation, values: request(before), etag }] : [] }
  }
  /** Reads what somebody else has changed; undefined if it is nothing that the reader has changed too. */
  const conflictOn = async (now: StoredObject): Promise<Conflict | undefined> => {
    const both = mine.filter(
      (field) =>
        !isSame(field, now[field.name]) &&
        JSON.stringify(now[field.name]) !== JSON.stringify(base?.[field.name]),
    )
    if (!seen || both.length === 0) return undefined
    const last = { ...ids, order: 'desc', page_size: 1 }
    const read = await call({ method: 'GET', path: pathOf(seen.history, last) })
    const [by] = 'body' in read ? rowsIn<Json>(read.body, pagesOf(seen.history)) : []
    return { now, fields: both, by }
  }
  const readAgain = async (): Promise<StoredObject | undefined> => {
    if (!seen) return undefined
    const read = await call({ method: 'GET', path: pathOf(seen.get, ids) })
    const now = 'body' in read ? objectIn(read.body, seen.get) : undefined
    return now && shape ? shape.read(now) : now
  }
  const tryOut = async (on = base): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    setConflict(undefined)
    const etag = on && etagOf(on)
    const outcome = await write({ operation, values: valuesOn(on) }, { etag, isTrial: true })
    setBusy(false)
    if ('failure' in outcome) return refused(outcome.failure)
    const { planned: { changes = [], impact } = {}, warnings = [] } = outcome.body
    setPreview({ changes, impact, warnings, etag: seen && (outcome.etag || etag), key: drawKey() })
  }
  const refused = async (reported: Failure): Promise<void> => {
    setPreview(undefined)
    const now = reported.reason === 'SEQUENCE_MISMATCH' ? await readAgain() : undefined
    if (!now) return setFailure(reported)
    const found = await conflictOn(now)
    if (found) return setConflict(found)
    setBase(now)
    await tryOut(now)
  }
  return {
    written,
    change: (name: string, value: Written) => setWritten((last) => ({ ...last, [name]: value })),
    /** Whether something was written. */
    isFilled: fields.some(
      ({ name }) => JSON.stringify(written[name]) !== JSON.stringify(initial(seen?.object)[name]),
    ),
    failure,
    preview,
    /** Reason of the change; may be empty. */
    reason,
    setReason,
    conflict,
    isBusy,
    goBack: () => setPreview(undefined),
    tryOut: () => tryOut(),
    /** Continues after a conflict, with the values of the reader or of the other. */
    settle: (isMine: boolean) => {
      if (!conflict) return
      const { now } = conflict
      setBase(now)
      if (isMine) return void tryOut(now)
      const theirs = conflict.fields.map((field) => [field.name, writtenOf(field, now[field.name])])
      setWritten((last) => ({ ...last, ...Object.fromEntries(theirs) }))
      setConflict(undefined)
    },
    /** What undoes it, once it was recorded; undefined if it was not. */
    save: async (tried: Preview): Promise<Undo | undefined> => {
      setBusy(true)
      const undone = await undo?.()
      const { etag, key } = tried
      const outcome = await write({ operation, values: valuesOn(base) }, { etag, key, reason })
      setBusy(false)
      if ('body' in outcome) return undone ?? undoOf(outcome.etag)
      await refused(outcome.failure)
      return undefined
    },
  }
}

export const etagOf = ({ details }: StoredObject): string => `"${details.sequence}"`

/** Makes an idempotency key, or an id. `randomUUID` would need a secure context. */
export const drawKey = (bytes = 16): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
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
    return written.map((role) => (field.as === 'roleKeys' ? role.roleKey : role))
  if (field.as === 'flag') return written === 'true'
  if (field.as === 'roles' || field.as === 'roleKeys') return []
  return field.as === 'lines' ? written.split('\n').filter((line) => line.trim() !== '') : written
}
