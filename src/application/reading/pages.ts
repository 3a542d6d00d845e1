import { err, ok, type Result, type ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { fromBase64url, toBase64url } from '../../domain/encoding.js'
import { fieldOf, unstorable } from '../../domain/values.js'
import type { Slice } from '../../ports/access-reads.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryEntry, SortValue } from '../../ports/read-model.js'
import { type IamError, type InvalidArgument, invalid } from '../errors/errors.js'
import { orThrow } from '../errors/to-status.js'
import type { AdmittedCall, Context } from '../method/context.js'
import { date, type Moment, momentOf, pageSize } from '../method/input.js'
import type { Runtime } from '../runtime.js'
import { requireCheckpoint } from './query.js'

export const pageToken = z.optional(
  z.string({ error: 'must be text' }).check(z.maxLength(16_384, { error: 'is too long' })),
)

/** A query that returns pages. */
interface Paged<Item, Key extends readonly SortValue[], Found extends Slice<Item>> {
  /** `nextPageToken` of the page before; undefined for the first page. */
  readonly token: string | undefined
  /** Tokens are valid for this query only. */
  readonly query: readonly unknown[]
  /** Whether these are sort values of an item. */
  readonly isKey: (values: readonly SortValue[]) => values is Key
  readonly keyOf: (item: Item) => readonly SortValue[]
  /** Reads the page after the item with that key. */
  readonly read: (after: Key | undefined) => Promise<Found>
}

/** Reads the page that a token names, and makes the token of the next page. */
export const readPage = async <Item, Key extends readonly SortValue[], Found extends Slice<Item>>({
  token,
  query,
  isKey,
  keyOf,
  read,
}: Paged<Item, Key, Found>): Promise<
  Result<Omit<Found, 'hasMore'> & { readonly nextPageToken?: string }, InvalidArgument>
> => {
  const values = token === undefined ? undefined : readToken(query, token)
  const after = values && isKey(values) ? values : undefined
  if (token !== undefined && !after)
    return err(invalid('pageToken', 'must be a nextPageToken from the same organization and query'))
  const { hasMore, ...page } = await read(after)
  const last = hasMore ? page.items.at(-1) : undefined
  return ok(last ? { ...page, nextPageToken: writeToken(query, keyOf(last)) } : page)
}

/** How a method reads pages of access. */
interface AccessPages<Item, Key extends readonly string[], Found extends Slice<Item>>
  extends Pick<Paged<Item, Key, Found>, 'keyOf'> {
  /** The method, and its input: tokens are valid for these. */
  readonly method: string
  readonly input: {
    readonly pageSize: number
    readonly pageToken?: string | undefined
    readonly at?: Date | undefined
  }
  /** Number of texts in a key. */
  readonly keyLength: number
  readonly read: (page: Moment & { readonly after?: Key; readonly limit: number }) => Promise<Found>
}

/** Reads a page of access: as it was at `input.at`, or as it is now. */
export const readAccessPage = async <
  Item,
  Key extends readonly string[],
  Found extends Slice<Item>,
>(
  runtime: Runtime,
  call: AdmittedCall,
  { method, input, keyLength, keyOf, read }: AccessPages<Item, Key, Found>,
) => {
  const { pageSize: limit, pageToken: token, at, ...filters } = input
  const moment = momentOf(at, runtime.now())
  if (moment.isErr()) return err(moment.error)
  return readPage({
    token,
    query: [call.orgId, method, filters, at ?? null],
    isKey: (values): values is Key =>
      values.length === keyLength && values.every((value) => typeof value === 'string'),
    keyOf,
    read: async (after) => {
      const found = await read({ ...moment.value, ...(after && { after }), limit })
      if (found.items.length === 0) await requireCheckpoint(runtime, call)
      return found
    },
  })
}

const writeToken = (query: readonly unknown[], values: readonly SortValue[]): string => {
  const written = values.map((value) => (typeof value === 'bigint' ? { n: String(value) } : value))
  return toBase64url(new TextEncoder().encode(JSON.stringify([hashOf(query), ...written])))
}

/** The values in a token; undefined if it is malformed or of another query. */
const readToken = (query: readonly unknown[], token: string): readonly SortValue[] | undefined => {
  const [bound, ...values] = contentOf(token)
  const read = values.flatMap((value) => sortValueOf(value) ?? [])
  return bound === hashOf(query) && read.length === values.length ? read : undefined
}

/** Tells queries apart, in 64 bits. It need not resist a caller: a forged token reads nothing that its query does not. */
const hashOf = (query: readonly unknown[]): string => {
  const text = JSON.stringify(query)
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b)
    other ^= other >>> 15
  }
  return `${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}`
}

const contentOf = (token: string): readonly unknown[] => {
  const bytes = fromBase64url(token)
  if (!bytes) return []
  try {
    const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}

const sortValueOf = (value: unknown): SortValue | undefined => {
  if (typeof value === 'boolean') return value
  // Tokens are not signed: a forged one must not send a store text that it cannot keep.
  if (typeof value === 'string') return unstorable(value) === undefined ? value : undefined
  const digits = fieldOf(value, 'n')
  return typeof digits === 'string' && /^\d{1,18}$/.test(digits) ? BigInt(digits) : undefined
}

/** The page to list. */
export interface PageInput {
  /** Most items of the page: 1 to 1,000. Default: 100. */
  readonly pageSize?: number | undefined
  /** `nextPageToken` of the page before, with the same input. Default: the first page. */
  readonly pageToken?: string | undefined
}

/** An input of a list of access. */
export interface AccessListInput extends PageInput {
  /** A time in the past: the answer is as of the end of this millisecond. Default: now. */
  readonly at?: Date | undefined
}

/** The fields of an {@link AccessListInput}. */
export const accessListFields = { at: z.optional(date), pageSize, pageToken }

/** A page of results. */
export interface AccessPage<Item> {
  /** At most `pageSize` items, in order. */
  readonly items: readonly Item[]
  /** `pageToken` of the next page; absent on the last. */
  readonly nextPageToken?: string
}

/** A page of a list, of access or of history. */
export interface ItemPage<Item> {
  /** The items, in their order. */
  readonly items: readonly Item[]
  /** `pageToken` of the next page. */
  readonly nextPageToken?: string
  /** `after` of the next page. */
  readonly nextAfter?: Position
  /** `before` of the next page. */
  readonly nextBefore?: Position
}

/**
 * Iterates over all items of a method that returns pages: `list` of any object, `listReceived`, `access.rolesOf`,
 * `access.scopesOf`, `access.whoHas`, `access.users`, `history.list`. Each page is read when the loop reaches it, so the
 * loop may or may not see changes that are made meanwhile.
 *
 * @param input - input of the method. `pageSize` or `limit` is the number of items to read at once; `pageToken`,
 *   `after` or `before` is where to begin
 * @throws IamFailure, from the loop, when a page is refused
 * @example
 * for await (const { userId } of items(iam.access.whoHas, { projectId }, context)) console.log(userId)
 */
export async function* items<Input extends object, Item>(
  list: (input: Input, context: Context) => ResultAsync<ItemPage<Item>, IamError>,
  input: NoInfer<Input>,
  context: Context,
): AsyncGenerator<Item, void, undefined> {
  let next: object | undefined = {}
  while (next) {
    const page: ItemPage<Item> = await orThrow(list({ ...input, ...next }, context))
    yield* page.items
    next = placeAfter(page)
  }
}

/** The part of the input that selects the page after `page`; undefined after the last. */
const placeAfter = ({ nextPageToken, nextAfter, nextBefore }: ItemPage<unknown>) => {
  if (nextPageToken !== undefined) return { pageToken: nextPageToken }
  if (nextAfter !== undefined) return { after: nextAfter }
  return nextBefore === undefined ? undefined : { before: nextBefore }
}

/** A page of history. */
export interface HistoryPage {
  /** The entries, in the order of `order`. */
  readonly items: readonly HistoryEntry[]
  /** With `asc`: `after` of the next page; absent on the last page. */
  readonly nextAfter?: Position
  /** With `desc`: `before` of the next page; absent on the last page. */
  readonly nextBefore?: Position
}
