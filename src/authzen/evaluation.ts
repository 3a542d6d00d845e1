import type { JsonObject } from '../handlers/body.js'
import { malformed, Refusal, refusalOf } from '../handlers/refusal.js'
import type {
  AccessCheck,
  AccessReason,
  CheckAccessInput,
  Context,
  Iam,
  ReadError,
  Result,
} from '../index.js'
import { type Entity, type Question, readBatch, readQuestion } from './request.js'

/** The project that a resource belongs to. */
export interface ResourceProject {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the organization of the users. */
  readonly projectOrgId?: string
  /**
   * The resource in `userGrants`, such as `workspace:42`: roles on it count, too. Absent: only roles for the whole project
   * count.
   */
  readonly resource?: string
}

/** Resources of one type. */
export interface ResourceType {
  /**
   * Returns the project that a resource belongs to; undefined for an unknown id. Anything it throws becomes a 500.
   *
   * @param properties - properties of the resource from the request; do not trust them more than the client
   */
  readonly project: (
    id: string,
    properties: Readonly<Record<string, unknown>>,
  ) => ResourceProject | undefined | Promise<ResourceProject | undefined>
  /**
   * Returns the resource id of a project, or of a `resource` in it, for searches; undefined for one of another type. A
   * resource is listed if `project` returns it for this id.
   */
  readonly id: (project: ResourceProject) => string | undefined | Promise<string | undefined>
}

/** Types of resources by their names. */
export type ResourceTypes = Readonly<Record<string, ResourceType>>

/** Resources that are projects: `projectId`, or `ownerOrgId/projectId` for a project of another organization. */
export const PROJECTS: ResourceTypes = {
  project: {
    project: (id) => {
      const slash = id.indexOf('/')
      return slash < 0
        ? { projectId: id }
        : { projectOrgId: id.slice(0, slash), projectId: id.slice(slash + 1) }
    },
    id: ({ projectId, projectOrgId, resource }) => {
      if (resource !== undefined) return undefined
      return projectOrgId === undefined ? projectId : `${projectOrgId}/${projectId}`
    },
  },
}

/** The caller, and the organization of the users. */
export interface Asking {
  readonly iam: Iam
  readonly context: Context
  /** The organization of the users. */
  readonly orgId: string
  readonly resources: ResourceTypes
}

/** The answer to one question. */
export interface Decision {
  /** Whether a role of the user has the permission. */
  readonly decision: boolean
  /** Why not; absent if the decision is `true`. */
  readonly context?: {
    /** The reasons of `access.check`. */
    readonly reasons?: readonly AccessReason[]
    /** The error of a malformed or forbidden question in a batch, instead of reasons. */
    readonly error?: {
      /** The HTTP status that the question alone would get, such as 400. */
      readonly status: number
      /** The error, in words. */
      readonly message: string
    }
  }
}

/** The decisions of a batch, in the order of its questions; fewer if the semantic ends it early. */
export interface Decisions {
  /** An answer for each question. */
  readonly evaluations: readonly Decision[]
}

/** The type of every subject that has access. */
export const USER = 'user'

/** Answers one question. @throws Refusal */
export const evaluate = (asking: Asking, body: JsonObject): Promise<Decision> =>
  decider(asking)(readQuestion(body))

/** Answers a batch; a request without questions of its own is one question. @throws Refusal */
export const evaluateAll = async (
  asking: Asking,
  body: JsonObject,
): Promise<Decision | Decisions> => {
  const batch = readBatch(body)
  if (!batch) return evaluate(asking, body)
  const { items, semantic } = batch
  const decide = decider(asking)
  const refusals: Refusal[] = []
  const answer = async (item: JsonObject): Promise<Decision> => {
    try {
      return await decide(readQuestion(item))
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || !OF_ONE_QUESTION.includes(thrown.status)) throw thrown
      refusals.push(thrown)
      const { status, message } = thrown
      return { decision: false, context: { error: { status, message } } }
    }
  }
  const evaluations =
    semantic === 'execute_all'
      ? await Promise.all(items.map(answer))
      : await answerUntil(semantic === 'permit_on_first_permit', items, answer)
  const forbidden = refusals.find(({ status }) => status === 403)
  if (forbidden && refusals.length === evaluations.length) throw forbidden
  return { evaluations }
}

/** Answers one question after the other, up to the first with this decision. */
const answerUntil = async (
  last: boolean,
  items: readonly JsonObject[],
  answer: (item: JsonObject) => Promise<Decision>,
): Promise<readonly Decision[]> => {
  const answered: Decision[] = []
  for (const item of items) {
    answered.push(await answer(item))
    if (answered.at(-1)?.decision === last) break
  }
  return answered
}

/** Statuses that refuse one question of a batch; others refuse all of it. */
const OF_ONE_QUESTION: readonly number[] = [400, 403]

/** The result of a read, or the reason without one. */
export type Found<Value> = { readonly value: Value } | { readonly missing: AccessReason['kind'] }

/** Why there is no result, by the malformed member of the input. */
const MISSING: Readonly<Record<string, AccessReason['kind']>> = {
  userId: 'NoGrant',
  projectId: 'ProjectNotFound',
  projectOrgId: 'ProjectGrantMissing',
  permission: 'PermissionNotGranted',
  resource: 'PermissionNotGranted',
}

/** The result of a read; a malformed id is an unknown one. @throws Refusal for every other error */
export const foundIn = <Value>(result: Result<Value, ReadError>): Found<Value> => {
  if (result.isOk()) return { value: result.value }
  const { error } = result
  const [violation] = error.kind === 'InvalidArgument' ? error.violations : []
  if (!violation) throw refusalOf(error)
  const { field, description } = violation
  const kind = MISSING[field]
  if (kind !== undefined) return { missing: kind }
  // A malformed result of `authenticate` is not the client's fault.
  if (field.startsWith('caller.')) throw new TypeError(`authenticate: ${field} ${description}`)
  throw malformed(`${NAMES[field] ?? field} ${description}`)
}

/** Names of the input's members in requests. */
const NAMES: Readonly<Record<string, string>> = { at: 'context.at', pageToken: 'page.token' }

/** The project that a resource belongs to; undefined for a resource that does not exist. */
export const projectOf = async (
  { resources, orgId }: Asking,
  { type, id, properties }: Entity,
): Promise<ResourceProject | undefined> => {
  const known = typeOf(resources, type)
  const project = await known?.project(id, properties)
  if (project?.projectOrgId !== orgId) return project
  const { projectOrgId: _, ...own } = project
  return own
}

/** A type of resources; undefined for an unknown one. */
export const typeOf = (resources: ResourceTypes, type: string): ResourceType | undefined =>
  Object.hasOwn(resources, type) ? resources[type] : undefined

type Check = Found<AccessCheck>

/** Decides the questions of one request, with as few reads as the reasons of all denials need. */
const decider = (asking: Asking) => {
  const { iam, context } = asking
  const checks = new Map<string, Promise<Check>>()
  const ask = async (input: CheckAccessInput) => foundIn(await iam.access.check(input, context))
  const firstChecks = new Map<string, Promise<Check>>()
  return async ({ subject, action, resource, at }: Question): Promise<Decision> => {
    if (subject.type !== USER) return denied('NoGrant')
    const project = await projectOf(asking, resource)
    if (!project) return denied('ProjectNotFound')
    const access = { userId: subject.id, ...project, ...(at && { at }) }
    const key = JSON.stringify(access)
    const first = firstChecks.get(key)
    const early = first && decisionFor(action, await first)
    if (early) return early
    const whole = JSON.stringify([key, action])
    const check = checks.get(whole) ?? ask({ ...access, permission: action })
    checks.set(whole, check)
    if (!first) firstChecks.set(key, check)
    return decisionOf(action, await check)
  }
}

/** Reasons that hold for every permission. A user without a grant may have some permissions by groups. */
const OF_EVERY_PERMISSION: readonly AccessReason['kind'][] = [
  'ProjectNotFound',
  'ProjectGrantMissing',
]

/** The decision for one permission by the check of another; undefined if the check does not have the reasons. */
const decisionFor = (permission: string, check: Check): Decision | undefined => {
  if ('missing' in check)
    return check.missing === 'PermissionNotGranted' ? undefined : denied(check.missing)
  const { permissions, reasons } = check.value
  const isKnown =
    permissions.includes(permission) ||
    reasons.some(({ kind }) => OF_EVERY_PERMISSION.includes(kind))
  return isKnown ? decisionOf(permission, check) : undefined
}

const decisionOf = (permission: string, check: Check): Decision => {
  if ('missing' in check) return denied(check.missing)
  const { permissions, reasons } = check.value
  return permissions.includes(permission)
    ? { decision: true }
    : { decision: false, context: { reasons } }
}

const denied = (kind: AccessReason['kind']): Decision => ({
  decision: false,
  context: { reasons: [{ kind }] },
})
