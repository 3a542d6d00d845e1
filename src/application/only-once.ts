import * as z from 'zod/mini'

/** Objects to each item of a list, at `path` within it, whose `identity` one before it has. */
export const onlyOnce = <Item>(identity: (item: Item) => string, path: readonly PropertyKey[]) =>
  z.superRefine<readonly Item[]>((items, { addIssue }) => {
    const seen = new Set<string>()
    items.forEach((item, index) => {
      const id = identity(item)
      if (seen.has(id))
        addIssue({ code: 'custom', path: [index, ...path], message: 'must not appear twice' })
      seen.add(id)
    })
  })
