import { isObject, type JsonObject } from '../handlers/body.js'
import { Refusal } from '../handlers/refusal.js'
import { type Condition, keyOf, outermost, parseFilter } from './filter.js'
import { patched } from './patch.js'
import { type Directory, untilDone } from './records.js'
import { invalid, notFound } from './refusal.js'

/** Resources of one type. `meta.version` of a resource is its ETag. */
export interface Resources {
  /** The resources that match, in a fixed order; each is made only if it is on the page. */
  readonly list: (
    at: Directory,
    filter: readonly Condition[] | undefined,
  ) => Promise<readonly (() => Promise<JsonObject>)[]>
  /** Whether a PATCH is answered without a body. */
  readonly patchesSilently: boolean
  readonly show: (at: Directory, id: string) => Promise<JsonObject | undefined>
  /** Returns the id. */
  readonly create: (at: Directory, body: JsonObject) => Promise<string>
  /** Returns false if somebody else has changed the resource since `before` was shown. */
  readonly write: (at: Directory, before: JsonObject, after: JsonObject) => Promise<boolean>
  /** Returns false if there is no such resource. */
  readonly remove: (at: Directory, id: string) => Promise<boolean>
}

/** A request to one endpoint. */
export interface ScimRequest {
  readonly method: string
  readonly id: string | undefined
  readonly query: URLSearchParams
  readonly ifMatch: string | null
  readonly body: () => Promise<JsonObject>
}

/** A response before it is JSON. */
export interface Answer {
  readonly status: number
  readonly body?: JsonObject
}

/** Answers a request on resources of one type. @throws Refusal */
export const answer = async (
  resources: Resources,
  at: Directory,
  request: ScimRequest,
): Promise<Answer> => {
  const { method, id, query } = request
  if (id === undefined) {
    if (method !== 'POST') return listed(request, await resources.list(at, filterIn(query)))
    return answerWith(
      201,
      request,
      await resources.show(at, await resources.create(at, await request.body())),
    )
  }
  if (method === 'GET') return answerWith(200, request, await resources.show(at, id))
  if (method === 'DELETE') {
    const before = await resources.show(at, id)
    if (before) refuseOutdated(request, before)
    if (!(await resources.remove(at, id))) throw notFound()
    return { status: 204 }
  }
  const body = await request.body()
  await untilDone(async () => {
    const before = await resources.show(at, id)
    if (!before) throw notFound()
    refuseOutdated(request, before)
    // Only an operation says whether a user is active.
    const { active: _, ...attributes } = before
    const after = method === 'PATCH' ? patched(attributes, body) : body
    return (await resources.write(at, before, after)) || undefined
  })
  const isShort = method === 'PATCH' && resources.patchesSilently && !query.get('attributes')
  return isShort ? { status: 204 } : answerWith(200, request, await resources.show(at, id))
}

const answerWith = (
  status: number,
  request: ScimRequest,
  resource: JsonObject | undefined,
): Answer => {
  if (!resource) throw notFound()
  return { status, body: wanted(request, resource) }
}

/** The ETag of a resource. */
export const versionOf = ({ meta }: JsonObject): unknown => isObject(meta) && meta['version']

/** @throws Refusal if the request is meant for another version */
const refuseOutdated = ({ ifMatch }: ScimRequest, before: JsonObject): void => {
  const etags = ifMatch?.split(',').map((each) => each.trim())
  if (etags && !etags.includes('*') && !etags.some((each) => each === versionOf(before)))
    throw new Refusal(412, 'The resource has changed')
}

const filterIn = (query: URLSearchParams): readonly Condition[] | undefined => {
  const filter = query.get('filter')
  return filter ? parseFilter(filter) : undefined
}

/** Most resources of a page. */
export const MAX_RESULTS = 200

/** A page of a list (RFC 7644, section 3.4.2.4). */
export const listed = async (
  request: ScimRequest,
  items: readonly (() => Promise<JsonObject>)[],
): Promise<Answer> => {
  const startIndex = Math.max(1, numberIn(request, 'startIndex', 1))
  const count = Math.min(MAX_RESULTS, Math.max(0, numberIn(request, 'count', MAX_RESULTS)))
  const page = items.slice(startIndex - 1, startIndex - 1 + count)
  const found = await Promise.all(page.map((show) => show()))
  const Resources = found.map((each) => wanted(request, each))
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  const itemsPerPage = Resources.length
  return {
    status: 200,
    body: { schemas, totalResults: items.length, startIndex, itemsPerPage, Resources },
  }
}

const numberIn = ({ query }: ScimRequest, name: string, otherwise: number): number => {
  const text = query.get(name) || String(otherwise)
  if (!/^-?\d{1,9}$/.test(text)) throw invalid(`${name} must be a whole number`)
  return Number(text)
}

/** Applies `attributes` and `excludedAttributes`, by the outermost names. */
const wanted = ({ query }: ScimRequest, resource: JsonObject): JsonObject => {
  const namesIn = (parameter: string) =>
    query
      .get(parameter)
      ?.split(',')
      .map((each) => outermost(each.trim()).toLowerCase())
  const [only, without] = [namesIn('attributes'), namesIn('excludedAttributes')]
  return Object.fromEntries(
    Object.entries(resource).filter(([key]) => {
      const name = key.toLowerCase()
      return (
        name === 'id' ||
        name === 'schemas' ||
        (only ? only.includes(name) : !without?.includes(name))
      )
    }),
  )
}

/** The text of an attribute; undefined if it is absent. @throws Refusal */
export const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[keyOf(body, name)] ?? undefined
  if (value !== undefined && (typeof value !== 'string' || value === ''))
    throw invalid(`${name} must be text`)
  return value
}
