import type { JsonObject } from '../handlers/body.js'
import { hashOf } from '../handlers/hash.js'
import { malformed } from '../handlers/refusal.js'
import { type Asking, foundIn, projectOf, typeOf, USER } from './evaluation.js'
import { MAX_RESULTS, type Question, readPageRequest, readQuestion } from './request.js'

/** Users, resources or actions that an evaluation of the same question permits. */
export interface SearchResults {
  /** Subjects and resources have a type and an id, actions a name. */
  readonly results: readonly (
    | {
        /** The type in the request. */
        readonly type: string
        /** Id of the user or the resource. */
        readonly id: string
      }
    | {
        /** Name of the permission. */
        readonly name: string
      }
  )[]
  /** The next page. */
  readonly page: {
    /** Empty on the last page. A page may be short or empty without being the last. */
    readonly next_token: string
  }
}

/** A part of the results: how far the search has come, undefined at its end. */
interface Part<Result> {
  readonly results: readonly Result[]
  readonly next?: readonly string[] | undefined
}

/** The place after which a page begins: `next` of the page before. */
interface Place {
  readonly after: readonly string[]
  readonly limit: number
}

/** The place where a token goes on, and the limit of the pages before; undefined if they had none. */
interface Begun {
  readonly after: readonly string[]
  readonly limit: number | undefined
}

/** Users of the organization who have a permission. @throws Refusal */
export const searchSubjects = (asking: Asking, body: JsonObject): Promise<SearchResults> => {
  const question = readQuestion(body, 'subject')
  return answerPage(asking, body, question, (place) => subjectsOf(asking, question, place))
}

/** Resources on which a user has a permission. @throws Refusal */
export const searchResources = (asking: Asking, body: JsonObject): Promise<SearchResults> => {
  const question = readQuestion(body, 'resource')
  return answerPage(asking, body, question, (place) => resourcesOf(asking, question, place))
}

/** The permissions of a user on a resource. @throws Refusal */
export const searchActions = (asking: Asking, body: JsonObject): Promise<SearchResults> => {
  const question = readQuestion(body, 'action')
  return answerPage(asking, body, question, (place) => actionsOf(asking, question, place))
}

/** Answers the page that a request asks for. Its tokens are valid for this question, context and limit alone. */
const answerPage = async (
  { orgId }: Asking,
  body: JsonObject,
  question: Question,
  read: (place: Place) => Promise<Part<SearchResults['results'][number]>>,
): Promise<SearchResults> => {
  const page = readPageRequest(body)
  const bound = await hashOf([orgId, question, body['context'] ?? {}])
  const begun = page.token === '' ? undefined : placeIn(page.token, bound)
  const limit = page.limit ?? begun?.limit ?? MAX_RESULTS
  if (begun?.limit !== undefined && begun.limit !== limit)
    throw malformed('page.limit must be the same on every page')
  const place = { after: begun?.after ?? [], limit }
  // After a page without results, the next begins at the same place.
  const { results, next } = limit > 0 ? await read(place) : { results: [], next: place.after }
  if (!next) return { results, page: { next_token: '' } }
  // It also says nothing of the limit of the next.
  const token = encodeURIComponent(JSON.stringify([bound, limit || null, ...next]))
  return { results, page: { next_token: token } }
}

/** @throws Refusal for a token that is not from this search */
const placeIn = (token: string, bound: string): Begun => {
  const [first, limit, ...after] = contentOf(token)
  const isLimit = limit === null || (typeof limit === 'number' && limit > 0)
  if (first !== bound || !isLimit || !after.every((text) => typeof text === 'string'))
    throw malformed('page.token must be from the same organization, question and context')
  return { limit: limit ?? undefined, after }
}

const contentOf = (token: string): readonly unknown[] => {
  try {
    const content: unknown = JSON.parse(decodeURIComponent(token))
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}

/** A place is a token of the library. */
const subjectsOf = async (
  asking: Asking,
  { subject, action, resource, at }: Question,
  { after: [pageToken], limit }: Place,
): Promise<Part<{ readonly type: string; readonly id: string }>> => {
  const { iam, context, orgId } = asking
  const project = subject.type === USER ? await projectOf(asking, resource) : undefined
  if (!project) return NOTHING
  const query = { projectOrgId: orgId, ...project, permission: action, ...(at && { at }) }
  const page = { pageSize: limit, ...(pageToken !== undefined && { pageToken }) }
  const found = foundIn(await iam.access.users({ ...query, ...page }, context))
  if ('missing' in found) return NOTHING
  const { items, nextPageToken } = found.value
  return {
    // Without a resource, users are found who have the permission on any of them.
    results: items
      .filter(({ roles }) =>
        roles.some(({ resource }) => resource === undefined || resource === project.resource),
      )
      .map(({ userId }) => ({ type: USER, id: userId })),
    next: nextPageToken === undefined ? undefined : [nextPageToken],
  }
}

/** A place is a token of the library. */
const resourcesOf = async (
  asking: Asking,
  { subject, action, resource: { type }, at }: Question,
  { after: [pageToken], limit }: Place,
): Promise<Part<{ readonly type: string; readonly id: string }>> => {
  const { iam, context, orgId, resources } = asking
  const known = typeOf(resources, type)
  if (!known || subject.type !== USER) return NOTHING
  const query = { userId: subject.id, permission: action, ...(at && { at }) }
  const page = { pageSize: limit, ...(pageToken !== undefined && { pageToken }) }
  const found = foundIn(await iam.access.scopesOf({ ...query, ...page }, context))
  if ('missing' in found) return NOTHING
  const { items, nextPageToken } = found.value
  const results: { readonly type: string; readonly id: string }[] = []
  for (const { projectOrgId, ...scope } of items) {
    const id = await known.id({ ...scope, ...(projectOrgId !== orgId && { projectOrgId }) })
    if (id === undefined) continue
    const { resource } = scope
    // A type that says nothing of the resource is of whole projects.
    const named =
      resource === undefined ? scope : await projectOf(asking, { type, id, properties: {} })
    if (named?.resource === resource) results.push({ type, id })
  }
  return { results, next: nextPageToken === undefined ? undefined : [nextPageToken] }
}

/** A place is the name of the last action before it. */
const actionsOf = async (
  asking: Asking,
  { subject, resource, at }: Question,
  { after: [last = ''], limit }: Place,
): Promise<Part<{ readonly name: string }>> => {
  const project = subject.type === USER ? await projectOf(asking, resource) : undefined
  if (!project) return NOTHING
  const query = { userId: subject.id, ...project, ...(at && { at }) }
  const found = foundIn(await asking.iam.access.check(query, asking.context))
  if ('missing' in found) return NOTHING
  const names = found.value.permissions.filter((name) => name > last)
  const results = names.slice(0, limit).map((name) => ({ name }))
  return { results, next: names.length > limit ? [results.at(-1)?.name ?? ''] : undefined }
}

const NOTHING = { results: [] }
