import { soon } from './chance.ts'
import { check } from './check.ts'
import { startFollowers } from './followers.ts'
import { heldNow, leftSince } from './handles.ts'
import { startHost, type Troubles } from './host.ts'
import { openLedger } from './ledger.ts'
import type { Kind, Place } from './place.ts'
import { keepCalling, keepDisturbing, keepSampling, keepVisiting, type Work } from './work.ts'

/** Calls in flight on each of the two programs that have the log open all the time. */
const WORKERS = 4

/** Samples of the memory in use that are taken in a round. */
const SAMPLES = 60

/** How long a server may take to end the connections that were closed, in milliseconds. */
const PATIENCE = 3_000

/** What became of a log under load. */
export interface Round extends Troubles {
  readonly calls: number
  /** Calls that were answered with events, and with not knowing. */
  readonly recorded: number
  readonly unknown: number
  /** Memory in use, in bytes, in the course of it; none where the log itself is on the heap. */
  readonly samples: readonly number[]
  /** What was not as it should be. */
  readonly problems: readonly string[]
}

/** Keeps a new log of `kind` under load for so long, in milliseconds, and checks what it holds then. */
export const soakOnce = async (kind: Kind, milliseconds: number): Promise<Round> => {
  await using place = await kind.make()
  // What is opened for the first time may keep something for the next time.
  await (await place.open()).close()
  const before = heldNow()
  const end = performance.now() + milliseconds
  const work: Work = {
    place,
    ledger: openLedger(),
    troubles: { conflicts: 0, faults: 0 },
    signal: new AbortController().signal,
    left: () => Math.max(0, end - performance.now()),
  }
  const samples: number[] = []
  const sampling = kind.isOnHeap ? undefined : keepSampling(work, milliseconds / SAMPLES, samples)
  const problems = await loadAndCheck(work, sampling)
  const { calls, recorded, unknown } = work.ledger
  const left = [...(await leftSince(before)), ...(await leftAt(place))]
  problems.push(...left.map((handle) => `${handle} left open`))
  return { calls, recorded, unknown, ...work.troubles, samples, problems }
}

const loadAndCheck = async (work: Work, sampling: Promise<void> | undefined): Promise<string[]> => {
  const { place, ledger, troubles } = work
  const [first, second] = [await startHost(place, troubles), await startHost(place, troubles)]
  const hosts = [first, second]
  const followers = startFollowers(first.iam)
  await Promise.all([
    ...hosts.flatMap(({ iam }) => Array.from({ length: WORKERS }, () => keepCalling(iam, work))),
    keepDisturbing(work),
    keepVisiting(work),
    sampling,
  ])
  await place.calm()
  const problems = await check(first.store, { hosts, followers, ledger })
  for (const { close } of hosts) await close()
  return [...problems]
}

/** Connections that a server still holds. */
const leftAt = async ({ connections }: Place): Promise<readonly string[]> => {
  if (await soon(async () => (await connections()) === 0, PATIENCE)) return []
  return [`${await connections()} connections of the server`]
}
