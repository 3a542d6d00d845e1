import type { ResultAsync } from 'neverthrow'
import type { Position } from '../../ports/event-store.js'
import type { IamError } from '../errors/errors.js'
import { orThrow } from '../errors/to-status.js'
import type { Context } from '../method/context.js'

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
 * All items of a method that answers page by page: `list` of any object, `listReceived`, `access.rolesOf`,
 * `access.whoHas`, `history.list`. Each page is read when its first item is asked for; nothing is held between them, so
 * what changes meanwhile may be seen or not.
 *
 * @param input - that of the method; its `pageSize` or `limit` is how much is read at once, and with a `pageToken`,
 *   `after` or `before` the items begin there
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

/** The part of the input that asks for the page after `page`; undefined after the last. */
const placeAfter = ({ nextPageToken, nextAfter, nextBefore }: ItemPage<unknown>) => {
  if (nextPageToken !== undefined) return { pageToken: nextPageToken }
  if (nextAfter !== undefined) return { after: nextAfter }
  return nextBefore === undefined ? undefined : { before: nextBefore }
}
