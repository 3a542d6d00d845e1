import { firstDuplicate } from '../duplicates.js'
import { isObject, type JsonObject, objectIn, readBody } from '../handlers/body.js'
import { malformed } from '../handlers/refusal.js'
import { timeIn } from '../rfc3339.js'

/** The longest path that a refusal repeats. */
const LONGEST_PATH = 100

/** The object in the body of a request. @throws Refusal if it is malformed; a gateway may read the other of two values */
export const readRequest = (bytes: Uint8Array): JsonObject => {
  const body = readBody(bytes)
  const duplicate = firstDuplicate(new TextDecoder().decode(bytes))
  if (duplicate) throw malformed(`${duplicate.path.slice(0, LONGEST_PATH)} must not be given twice`)
  return body
}

/** A subject or a resource. */
export interface Entity {
  readonly type: string
  readonly id: string
  readonly properties: JsonObject
}

/** The question in a request. */
export interface Question {
  readonly subject: Entity
  /** The name of the action. */
  readonly action: string
  readonly resource: Entity
  /** The time of the question, if it is in the past. */
  readonly at?: Date
}

type PartName = 'subject' | 'action' | 'resource'

/** The question in a request. The id or name of the `searched` part is empty. @throws Refusal if it is malformed */
export const readQuestion = (body: JsonObject, searched?: PartName): Question => {
  const subject = readEntity(body, 'subject', searched)
  const action = searched === 'action' ? '' : readAction(body)
  const resource = readEntity(body, 'resource', searched)
  const at = readTime(body['context'])
  return { subject, action, resource, ...(at && { at }) }
}

const readEntity = (
  body: JsonObject,
  name: 'subject' | 'resource',
  searched: PartName | undefined,
): Entity => {
  const part = objectIn(body[name], name)
  const type = textIn(part, name, 'type')
  const id = searched === name ? '' : textIn(part, name, 'id')
  return { type, id, properties: propertiesIn(part, name) }
}

const readAction = (body: JsonObject): string => {
  const part = objectIn(body['action'], 'action')
  const name = textIn(part, 'action', 'name')
  propertiesIn(part, 'action')
  return name
}

const textIn = (part: JsonObject, name: PartName, member: string): string => {
  const value = part[member]
  if (typeof value !== 'string') throw malformed(`${name}.${member} must be text`)
  return value
}

const propertiesIn = (part: JsonObject, name: PartName): JsonObject =>
  objectIn(part['properties'] ?? {}, `${name}.properties`)

/** `context.at`. */
const readTime = (context: unknown): Date | undefined => {
  const at = objectIn(context ?? {}, 'context')['at'] ?? undefined
  if (at === undefined) return undefined
  const time = typeof at === 'string' ? timeIn(at.toUpperCase()) : undefined
  if (!time) throw malformed('context.at must be a time in the form of RFC 3339')
  return time
}

/** How the questions of a batch are decided: all, or up to the first that is denied or permitted. */
export type Semantic = 'execute_all' | 'deny_on_first_deny' | 'permit_on_first_permit'

const SEMANTICS: readonly unknown[] = [
  'execute_all',
  'deny_on_first_deny',
  'permit_on_first_permit',
] satisfies readonly Semantic[]

const isSemantic = (value: unknown): value is Semantic => SEMANTICS.includes(value)

/** Most questions of a batch. */
const MAX_EVALUATIONS = 100

/** The questions of a batch; single questions may be malformed. Undefined if the request is not a batch. */
export const readBatch = (
  body: JsonObject,
): { readonly items: readonly JsonObject[]; readonly semantic: Semantic } | undefined => {
  const evaluations = body['evaluations'] ?? []
  if (!Array.isArray(evaluations)) throw malformed('evaluations must be a list')
  if (evaluations.length > MAX_EVALUATIONS)
    throw malformed(`evaluations must have at most ${MAX_EVALUATIONS} items`)
  const options = objectIn(body['options'] ?? {}, 'options')
  const semantic = options['evaluations_semantic'] ?? 'execute_all'
  if (!isSemantic(semantic))
    throw malformed(`options.evaluations_semantic must be one of ${SEMANTICS.join(', ')}`)
  if (evaluations.length === 0) return undefined
  return { items: evaluations.map((item: unknown) => withDefaults(body, item)), semantic }
}

const DEFAULTED = ['subject', 'action', 'resource', 'context'] as const

/** The parts of an evaluation. The request gives whole parts that are absent, never a member of one. */
const withDefaults = (body: JsonObject, item: unknown): JsonObject =>
  // An item that is not an object gets nothing: it is malformed on its own.
  isObject(item)
    ? Object.fromEntries(DEFAULTED.map((part) => [part, (part in item ? item : body)[part]]))
    : {}

/** The page that a search asks for. */
export interface PageRequest {
  /** Empty for the first page. */
  readonly token: string
  /** 0 to 100; undefined if the request has none. */
  readonly limit: number | undefined
}

/** Most results of a page. */
export const MAX_RESULTS = 100

/** @throws Refusal if it is malformed */
export const readPageRequest = (body: JsonObject): PageRequest => {
  const page = objectIn(body['page'] ?? {}, 'page')
  const [token, limit] = [page['token'] ?? '', page['limit'] ?? undefined]
  if (typeof token !== 'string') throw malformed('page.token must be text')
  if (limit === undefined) return { token, limit }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
    throw malformed('page.limit must be a whole number from 0')
  return { token, limit: Math.min(limit, MAX_RESULTS) }
}
