import * as z from 'zod/mini'
import { MAX_REPORTED } from '../../domain/values.js'

/** What is said of a wrong item, and where in it. */
interface Objection {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Objects to the items of a list that are found wrong, to as many as are reported.
 *
 * @param judgeOf - tells of the items of one list, in their order, whether they are wrong
 */
export const objectToItems = <Item>(
  { path, message }: Objection,
  judgeOf: (items: readonly Item[]) => (item: Item) => boolean,
) =>
  z.superRefine<readonly Item[]>((items, { addIssue }) => {
    const isWrong = judgeOf(items)
    let reported = 0
    for (const [index, item] of items.entries()) {
      if (!isWrong(item)) continue
      addIssue({ code: 'custom', path: [index, ...path], message })
      if (++reported === MAX_REPORTED) return
    }
  })
