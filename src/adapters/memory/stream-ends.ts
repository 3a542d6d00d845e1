import type { StreamId } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'

/** Where in a log the last event of each stream lies. */
export interface StreamEnds {
  /** Index of the last event of `stream`; {@link NOWHERE} when there is none. */
  readonly find: (stream: StreamId) => number
  /** Lets the event at `index` be the last one of its stream. */
  readonly move: (index: number) => void
}

/** Index of no event. */
export const NOWHERE = -1

const SMALLEST = 1024

/**
 * The ends of the streams of `events`, to which events are only ever added.
 *
 * A hash table of numbers alone (open addressing, at most half full): half as costly as a `Map` by
 * name, which the garbage collector has to look through again and again as it grows.
 */
export const streamEnds = (events: readonly RecordedEvent[]): StreamEnds => {
  // Drawn, so that nobody can think up names that all meet in one place.
  const seed = (Math.random() * 2 ** 32) | 0
  let table = emptyTable(SMALLEST)
  let size = 0

  const placeOf = (stream: StreamId, hash: number): number => {
    const { ends, hashes, mask } = table
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const end = ends[place] ?? NOWHERE
      if (end === NOWHERE) return place
      if (hashes[place] === hash && events[end]?.stream === stream) return place
    }
  }

  return {
    find: (stream) => table.ends[placeOf(stream, hashOf(stream, seed))] ?? NOWHERE,
    move: (index) => {
      const stream = events[index]?.stream
      if (stream === undefined) return
      const hash = hashOf(stream, seed)
      const place = placeOf(stream, hash)
      if (table.ends[place] === NOWHERE) size++
      table.ends[place] = index
      table.hashes[place] = hash
      if (size * 2 > table.mask) table = twiceAsLarge(table)
    },
  }
}

/** Of each place: where the stream ends, and the hash of its name. */
interface Table {
  readonly ends: Int32Array
  readonly hashes: Int32Array
  /** One less than the number of places, which is a power of two. */
  readonly mask: number
}

const emptyTable = (places: number): Table => ({
  ends: new Int32Array(places).fill(NOWHERE),
  hashes: new Int32Array(places),
  mask: places - 1,
})

const twiceAsLarge = ({ ends, hashes }: Table): Table => {
  const larger = emptyTable(2 * ends.length)
  for (const [old, end] of ends.entries()) {
    if (end === NOWHERE) continue
    const hash = hashes[old] ?? 0
    let place = hash & larger.mask
    while (larger.ends[place] !== NOWHERE) place = (place + 1) & larger.mask
    larger.ends[place] = end
    larger.hashes[place] = hash
  }
  return larger
}

/** FNV-1a over UTF-16 units, with its high bits mixed into the low ones that choose the place. */
const hashOf = (text: string, seed: number): number => {
  let hash = seed
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash ^ (hash >>> 15)
}
