// A process that claims domains: started with a `Task` as its argument, it begins when its parent says so.
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { aesGcmCipher, createIam, type IamOptions } from 'claviger'
import { openPlace, type Place } from './writer.ts'

/** What a process does. */
export interface Task {
  readonly place: Place
  /** Number of the first of its organizations. */
  readonly first: number
  /** Each with a memory of its own. */
  readonly organizations: number
  /** How long each of them claims the domain. */
  readonly ms: number
}

/** What the organizations of a process were answered. */
export interface Claims {
  /** How often one of them verified the domain. */
  readonly won: number
  /** Kinds of refusals. */
  readonly refusals: readonly string[]
}

export const CLAIMED = 'claimed.example'

const run = async ({ place, first, organizations, ms }: Task): Promise<void> => {
  const { store, close } = await openPlace(place)
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const refusals = new Set<string>()
  let won = 0
  const claim = async (orgId: string): Promise<void> => {
    let challenge = ''
    const domains: IamOptions['domains'] = {
      isPublicSuffix: () => false,
      resolveTxt: async () => [[challenge]],
    }
    const iam = createIam({ store, secrets, authorize: () => true, domains })
    const within = { caller: { userId: 'admin', orgId } }
    const until = performance.now() + ms
    while (performance.now() < until) {
      const added = await iam.domains.add({ domain: CLAIMED }, within)
      if (added.isOk()) challenge = added.value.challenge
      else refusals.add(`add: ${added.error.kind}`)
      const verified = await iam.domains.verify({ domain: CLAIMED }, within)
      if (verified.isErr()) refusals.add(`verify: ${verified.error.kind}`)
      else if (verified.value.changed) won++
      // Those who have lost keep their claim, and try again; a refusal is no I/O, and leaves others no turn.
      if (verified.isErr()) {
        await setImmediate()
        continue
      }
      const removed = await iam.domains.remove({ domain: CLAIMED }, within)
      if (removed.isErr()) refusals.add(`remove: ${removed.error.kind}`)
    }
    const again = await iam.domains.add({ domain: CLAIMED }, within)
    if (again.isOk()) challenge = again.value.challenge
    const last = await iam.domains.verify({ domain: CLAIMED }, within)
    if (last.isErr()) refusals.add(`verify: ${last.error.kind}`)
    else won++
  }
  process.send?.('ready')
  await once(process, 'message')
  await Promise.all(Array.from({ length: organizations }, (_, n) => claim(`org-${first + n}`)))
  await close()
  process.send?.({ won, refusals: [...refusals] } satisfies Claims)
  process.disconnect()
}

const [script, argument] = process.argv.slice(1)
if (argument !== undefined && script?.endsWith('claimer.ts')) await run(JSON.parse(argument))
