import type { Position } from '../../ports/event-store.js'

/** How many of `items`, which are in the order of their positions, lie at `position` or below. */
export const countUpTo = <Item>(
  items: readonly Item[],
  position: Position,
  positionOf: (item: Item) => Position,
): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && positionOf(item) > position) high = middle
    else low = middle + 1
  }
  return low
}
