import type { Iam } from '../index.js'
import type { ScimDirectory, ScimPlace, ScimRecords, ScimUsers, StoredScimRecord } from './ports.js'
import { busy } from './refusal.js'

/** Where the records of a provider are. */
interface Stored {
  readonly place: ScimDirectory
  readonly records: ScimRecords
}

/** Everything that a request of one provider needs. */
export interface Directory extends Stored {
  readonly iam: Iam
  readonly place: ScimPlace
  readonly users: ScimUsers
  readonly leavers: 'everything' | 'memberships'
  /** Path in front of `/Users`. */
  readonly basePath: string
}

/** A group as it was pushed. Its members are in the records of users. */
export interface GroupRecord {
  readonly displayName: string
  readonly externalId?: string | undefined
  /** The name that its id comes from. */
  readonly idFrom: string
  /** Times in the form of RFC 3339. */
  readonly created: string
  readonly changed: string
  readonly deleted?: boolean
  /** Whether memberships may not reflect its last change yet. */
  readonly owes?: boolean
}

/** A user as the provider has pushed it. */
export interface UserRecord {
  readonly active: boolean
  readonly deleted?: boolean
  /** Whether the deletion is not complete yet. */
  readonly leaving?: boolean
  /** Ids of groups. */
  readonly groups: readonly string[]
  /** Names of groups with a mapping that were reported; with `owes`, also those that may have been. */
  readonly said: readonly string[]
  /** Whether the membership may not reflect the record yet. */
  readonly owes?: boolean
}

/** A record with the version that its next write replaces. */
export interface Versioned<Value> {
  readonly value: Value
  readonly version: number
}

/** The records of one kind. Casts: nothing else writes them. */
export const recordsOf = <Value extends object>(prefix: string) => {
  const parsed = ({ value, version }: StoredScimRecord): Versioned<Value> => ({
    value: JSON.parse(value) as Value,
    version,
  })
  return {
    read: async (at: Stored, id: string): Promise<Versioned<Value> | undefined> => {
      const found = await at.records.read(at.place, prefix + id)
      return found && parsed(found)
    },
    /** Returns false, with nothing written, if the record has another version. */
    write: async (at: Stored, id: string, { value, version }: Versioned<Value>): Promise<boolean> =>
      at.records.write(at.place, prefix + id, { value: JSON.stringify(value), version }),
    /** All of them, by their ids, sorted. */
    list: async (at: Stored): Promise<readonly (readonly [id: string, kept: Versioned<Value>])[]> =>
      (await at.records.list(at.place, prefix))
        .map(([key, record]) => [key.slice(prefix.length), parsed(record)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

export const groupRecords = recordsOf<GroupRecord>('group/')
export const userRecords = recordsOf<UserRecord>('user/')

/** Runs `work` until it returns something. @throws Refusal if other requests are always faster */
export const untilDone = async <Value>(work: () => Promise<Value | undefined>): Promise<Value> => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const done = await work()
    if (done !== undefined) return done
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(attempt, 20)))
  }
  throw busy()
}

/** How many users are worked on at once. */
const AT_ONCE = 16

/**
 * Works on all items, some at once, until one fails. Throws only after all work has ended: a late write could undo the
 * next request.
 */
export const forAll = async <Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> => {
  // The workers share the iterator, and a failure ends it for all.
  const rest = each(items)
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      await work(item).catch((thrown) => failures.push(thrown))
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (failures.length > 0) throw failures[0]
}

function* each<Item>(items: Iterable<Item>): Generator<Item> {
  yield* items
}
