import type { Caller, Iam, IamError } from '../index.js'

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

/** The caller of a request of the pages, and its signal. */
export interface Asker extends DirectoryContext {
  readonly signal: AbortSignal
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

/** An organization of the host. */
export interface OrganizationDescription {
  /** The `orgId` in claviger. */
  readonly id: string
  /** Shown instead of the id. */
  readonly name: string
}

/** Names organizations of the host. */
export interface OrganizationDirectory {
  /** Names organizations by their ids: at most 100, each of 1 to 64 characters. Leave out unknown ones. */
  readonly describe: (
    ids: readonly string[],
    context: DirectoryContext,
  ) => readonly OrganizationDescription[] | Promise<readonly OrganizationDescription[]>
  /**
   * Finds organizations by a part of a name of 1 to 200 characters, best matches first; the pages show the first 20.
   * Without it, an admin who grants a project types the id of the organization.
   */
  readonly find?: (
    text: string,
    context: DirectoryContext,
  ) => readonly OrganizationDescription[] | Promise<readonly OrganizationDescription[]>
  /**
   * The organizations that this caller may work in, their own among them, such as all customers for support. The pages
   * offer a choice, send the chosen one in `organizationHeader`, and show a banner for it. `authorize` decides what the
   * caller may do there.
   */
  readonly choices?: (
    context: DirectoryContext,
  ) => readonly OrganizationDescription[] | Promise<readonly OrganizationDescription[]>
}

/** What both directories have. */
export type Descriptions = Pick<UserDirectory, 'describe'> | OrganizationDirectory

const MAX_IDS = 100
const MAX_FOUND = 20
/** Longest id, name, address and text, in UTF-16 units. */
const MAX_LENGTH = 400

/** Users or organizations by their ids, or found by a text; undefined if the question is out of bounds. */
export const foundIn = async (
  { describe, find }: UserDirectory,
  query: URLSearchParams,
  { caller, orgId }: Asker,
): Promise<readonly UserDescription[] | undefined> => {
  const [ids, text] = [query.getAll('id'), query.get('text') ?? '']
  const isInBounds = [...ids, text].every((each) => each.length <= MAX_LENGTH)
  if (!isInBounds || ids.length > MAX_IDS || (ids.length === 0 && text === '')) return undefined
  const context = { caller, orgId }
  const found = ids.length > 0 ? await describe(ids, context) : await find(text, context)
  return (ids.length > 0 ? found.filter(({ id }) => ids.includes(id)) : found)
    .slice(0, ids.length || MAX_FOUND)
    .map(described)
}

/** Why a caller may not find users: one who may see who has roles, or who changed something, may see their names. */
export const whyNoUsers = async (iam: Iam, asker: Asker): Promise<IamError | undefined> => {
  const grants = await iam.userGrants.list({ pageSize: 1 }, asker)
  if (grants.isOk()) return undefined
  const history = await iam.history.list({ limit: 1 }, asker)
  return history.isOk() ? undefined : grants.error
}

/** The fields that the pages show. @throws TypeError unless it is a user */
export const described = ({ id, name, email, picture }: UserDescription): UserDescription => {
  if (typeof id !== 'string' || typeof name !== 'string')
    throw new TypeError('users and organizations must return lists of { id, name }')
  const shown = (text: unknown) =>
    typeof text === 'string' ? text.slice(0, MAX_LENGTH) : undefined
  const isOwn = typeof picture === 'string' && /^(\/(?![/\\])|data:image\/)/.test(picture)
  return { id, name: shown(name) || id, email: shown(email), picture: isOwn ? picture : undefined }
}
