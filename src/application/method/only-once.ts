import { objectToItems } from './object-to-items.js'

/** Objects to each item of a list, at `path` within it, whose `identity` one before it has. */
export const onlyOnce = <Item>(identity: (item: Item) => string, path: readonly PropertyKey[]) =>
  objectToItems<Item>({ path, message: 'must not appear twice' }, () => {
    const seen = new Set<string>()
    return (item) => seen.size === seen.add(identity(item)).size
  })
