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
 * Iterates over all items of a method that returns pages: `list` of any object, `listReceived`, `access.rolesOf`,
 * `access.whoHas`, `history.list`. Each page is read when the loop reaches it, so the loop may or may not see changes
 * that are made meanwhile.
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
