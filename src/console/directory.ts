import { type Caller, httpStatusOf, type Iam, type IamError, toStatus } from '../index.js'
import { notifyHost, ORGANIZATION_HEADER, toConsole } from '../transport/handler-options.js'
import type { TransportOptions } from '../transport/index.js'

/** A user of the host. */
export interface UserDescription {
  /** The `userId` in grants. */
  readonly id: string
  /** Shown instead of the id. */
  readonly name: string
  /** Shown below the name. */
  readonly email?: string | undefined
  /**
   * A path of the same origin, or a `data:` URL; other URLs are ignored, because the pages load nothing from elsewhere.
   */
  readonly picture?: string | undefined
}

/** The caller of the directory. Return only users that this caller may see. */
export interface DirectoryContext {
  /** The signed-in user of the console. */
  readonly caller: Caller
  /** The organization that the caller works in. */
  readonly orgId: string
}

/**
 * Describes and finds the users of the host. If it throws or rejects, the response is 503 and `onError` gets the cause;
 * the pages then show ids.
 */
export interface UserDirectory {
  /** Describes users by their ids: at most 100, each of 1 to 200 characters. Leave out unknown users. */
  readonly describe: (
    ids: readonly string[],
    context: DirectoryContext,
  ) => readonly UserDescription[] | Promise<readonly UserDescription[]>
  /**
   * Finds users by a part of a name or address, of 1 to 200 characters; best matches first. The pages show the first
   * 20.
   */
  readonly find: (
    text: string,
    context: DirectoryContext,
  ) => readonly UserDescription[] | Promise<readonly UserDescription[]>
}

/** Options of the user directory. */
interface DirectoryOptions
  extends Pick<TransportOptions, 'authenticate' | 'organizationHeader' | 'onError'> {
  readonly users?: UserDirectory | undefined
}

/** The response to a request to the directory. */
export interface DirectoryAnswer {
  readonly status: number
  readonly body: string
}

interface DirectoryRequest {
  /** After the question mark: `id` up to 100 times, or `text` once. */
  readonly query: string
  readonly headers: Headers
  readonly signal: AbortSignal
}

const MAX_IDS = 100
const MAX_FOUND = 20
/** Longest id, name, address and text, in UTF-16 units. */
const MAX_LENGTH = 400

/** Describes or finds users for a caller who may read the grants or the history of the organization. */
export const askDirectory = async (
  iam: Iam,
  options: DirectoryOptions,
  { query, headers, signal }: DirectoryRequest,
): Promise<DirectoryAnswer> => {
  const { users, authenticate, organizationHeader = ORGANIZATION_HEADER } = options
  try {
    const caller = await authenticate(headers, signal)
    if (!caller) return refused({ kind: 'Unauthenticated' })
    if ('kind' in caller) return refused(caller)
    const orgId = headers.get(organizationHeader) || caller.orgId
    const error = await whyNot(iam, { caller, orgId })
    if (error) return refused(error)
    const asked = new URLSearchParams(query)
    const [ids, text] = [asked.getAll('id'), asked.get('text') ?? '']
    const isInBounds = [...ids, text].every((each) => each.length <= MAX_LENGTH)
    if (!users || !isInBounds || ids.length > MAX_IDS || (ids.length === 0 && text === ''))
      return { status: 400, body: '{"code":3,"message":"Give id or text","details":[]}' }
    const context = { caller, orgId }
    const found =
      ids.length > 0 ? await users.describe(ids, context) : await users.find(text, context)
    const shown = (ids.length > 0 ? found.filter(({ id }) => ids.includes(id)) : found)
      .slice(0, ids.length || MAX_FOUND)
      .map(described)
    return { status: 200, body: JSON.stringify({ users: shown }) }
  } catch (cause) {
    const failure = { correlationId: crypto.randomUUID(), method: 'GET /api/users' }
    notifyHost(options.onError ?? toConsole, cause, failure)
    return refused({ kind: 'Unavailable', outcome: 'not_recorded', cause })
  }
}

/** A caller who may see who has roles, or who changed something, may see their names. */
const whyNot = async (iam: Iam, context: DirectoryContext): Promise<IamError | undefined> => {
  const grants = await iam.userGrants.list({ pageSize: 1 }, context)
  if (grants.isOk()) return undefined
  const history = await iam.history.list({ limit: 1 }, context)
  return history.isOk() ? undefined : grants.error
}

const refused = (error: IamError): DirectoryAnswer => ({
  status: httpStatusOf(error),
  body: JSON.stringify(toStatus(error)),
})

/** The fields that the pages show. @throws TypeError unless it is a user */
const described = ({ id, name, email, picture }: UserDescription): UserDescription => {
  if (typeof id !== 'string' || typeof name !== 'string')
    throw new TypeError('users must return a list of { id, name }')
  const shown = (text: unknown) =>
    typeof text === 'string' ? text.slice(0, MAX_LENGTH) : undefined
  const isOwn = typeof picture === 'string' && /^(\/(?![/\\])|data:image\/)/.test(picture)
  return { id, name: shown(name) || id, email: shown(email), picture: isOwn ? picture : undefined }
}
