import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import { fromPort } from '../errors/fault.js'
import {
  type AnySnapshot,
  isOf,
  Snapshot,
  type Status,
  type StreamKind,
} from '../recording/snapshot.js'
import type { View } from '../recording/view.js'

/** Streams as they were at a position, or as they are, for what only reads. */
export class PastView implements View {
  readonly orgId: string
  readonly #store: EventStore
  readonly #until: Position | undefined
  readonly #loaded = new Map<StreamId, AnySnapshot>()
  /** What was looked at and is still to be loaded, by stream. */
  readonly #missing = new Map<StreamId, AnySnapshot>()

  /** @param until - the last position that counts; all do when absent */
  constructor(store: EventStore, orgId: string, until?: Position) {
    this.orgId = orgId
    this.#store = store
    this.#until = until
  }

  read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId = this.orgId,
  ): Snapshot<State, Event> {
    const name = kind.stream(orgId, ids)
    const loaded = this.#loaded.get(name)
    if (isOf(loaded, kind)) return loaded
    const beginning = new Snapshot(kind, name)
    this.#missing.set(name, beginning)
    return beginning
  }

  readonly readNew: View['read'] = (kind, ids, orgId) => this.read(kind, ids, orgId)

  readonly glance: View['read'] = (kind, ids, orgId) => this.read(kind, ids, orgId)

  readonly lastSeen: View['read'] = (kind, ids, orgId) => this.read(kind, ids, orgId)

  /** What `find` answers once all that it reads is loaded. */
  async settle<Found>(find: (view: View) => Found): Promise<Found> {
    for (;;) {
      this.#missing.clear()
      const found = find(this)
      if (this.#missing.size === 0) return found
      await Promise.all([...this.#missing.values()].map((beginning) => this.#load(beginning)))
    }
  }

  async #load(beginning: AnySnapshot): Promise<void> {
    const events = await fromPort(() => this.#store.readStream(beginning.name))
    const until = this.#until
    const past = until === undefined ? events : events.filter(({ position }) => position <= until)
    this.#loaded.set(beginning.name, beginning.replay(past))
  }
}
