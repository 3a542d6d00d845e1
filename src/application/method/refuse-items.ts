import * as z from 'zod/mini'
import { MAX_REPORTED } from '../../domain/values.js'

/** The violation of a wrong item, and its path within the item. */
interface ItemViolation {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Refuses the wrong items of a list, and reports as many as one error may.
 *
 * @param checkFor - makes the check of one list, which is given its items in order: true for a wrong one
 */
export const refuseItems = <Item>(
  { path, message }: ItemViolation,
  checkFor: (items: readonly Item[]) => (item: Item) => boolean,
) =>
  z.superRefine<readonly Item[]>((items, { addIssue }) => {
    const isWrong = checkFor(items)
    let reported = 0
    for (const [index, item] of items.entries()) {
      if (!isWrong(item)) continue
      addIssue({ code: 'custom', path: [index, ...path], message })
      if (++reported === MAX_REPORTED) return
    }
  })

/** Refuses each item of a list whose `identity`, at `path` within it, an earlier item has. */
export const onlyOnce = <Item>(identity: (item: Item) => string, path: readonly PropertyKey[]) =>
  refuseItems<Item>({ path, message: 'must not appear twice' }, () => {
    const seen = new Set<string>()
    return (item) => seen.size === seen.add(identity(item)).size
  })
