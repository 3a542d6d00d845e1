import { allOf, demandEqual } from '../../law.js'
import { storeLaws } from '../harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from '../samples.js'

/** How often a race is run: a store that checks before it writes loses only some of them. */
const ROUNDS = 10

const USED = { kind: 'IdempotencyKeyUsed' }

/** At most one append is recorded under one idempotency key. */
export const idempotencyLaws = storeLaws({
  'no second append is recorded under an idempotency key, by any handle': async (
    store,
    { reopen },
  ) => {
    const handles = [store, await reopen(store)]
    await record(store, firstOf('law-a', { idempotencyKey: 'org-1+key' }))
    const again = firstOf('law-b', {
      actor: { userId: 'user-2', orgId: 'org-2' },
      resourceOwner: 'org-3',
      idempotencyKey: 'org-1+key',
    })
    for (const handle of handles) {
      demandEqual('the answer to a second append', await verdict(handle, again), USED)
    }
    demandEqual('what the log holds', (await wholeLog(store)).length, 1)
    const other = firstOf('law-b', { idempotencyKey: 'org-1+KEY' })
    demandEqual('the answer to a key of its own', await verdict(store, other), 1)
  },
  'a used idempotency key is reported before a conflict, and for an append without events': async (
    store,
  ) => {
    await record(store, firstOf('law-a', { idempotencyKey: 'key' }))
    const conflicting = firstOf('law-a', { idempotencyKey: 'key' })
    demandEqual('the answer', await verdict(store, conflicting), USED)
    const guard = appendOf([write('law-a', 7)], { idempotencyKey: 'key' })
    demandEqual('the answer to a mere guard', await verdict(store, guard), USED)
  },
  'a conflict and an append without events use up no idempotency key': async (store) => {
    await record(store, firstOf('law-a'))
    await verdict(store, firstOf('law-a', { idempotencyKey: 'key' }))
    await verdict(store, appendOf([write('law-a', 1)], { idempotencyKey: 'key' }))
    demandEqual('what the key finds', await store.findAppend({ idempotencyKey: 'key' }), [])
    const first = firstOf('law-b', { idempotencyKey: 'key' })
    demandEqual('the answer to the first use', await verdict(store, first), 1)
  },
  'an append is found by its idempotency key, with all of its events': async (store) => {
    await record(store, firstOf('law-before'))
    const writes = [write('law-a', 0, { n: 1 }, { n: 2 }), write('law-b', 0, { n: 3 })]
    const recorded = await record(store, appendOf(writes, { idempotencyKey: 'key' }))
    await record(store, firstOf('law-after'))
    demandEqual('what is found', await store.findAppend({ idempotencyKey: 'key' }), recorded)
    demandEqual('what no key finds', await store.findAppend({ idempotencyKey: 'none' }), [])
  },
  'of appends sent at once under one idempotency key, one is recorded': async (
    store,
    { reopen },
  ) => {
    const handles = [store, await reopen(store)]
    for (let round = 1; round <= ROUNDS; round++) {
      const idempotencyKey = `key-${round}`
      const verdicts = await allOf(
        Array.from({ length: 6 }, (_, n) =>
          verdict(handles[n % 2] ?? store, firstOf(`law-${round}-${n}`, { idempotencyKey })),
        ),
      )
      const refused = verdicts.filter((answer) => answer !== 1)
      demandEqual(
        'the answers but that to one append',
        refused,
        Array.from({ length: 5 }, () => USED),
      )
      demandEqual('what the log holds', (await wholeLog(store)).length, round)
    }
  },
})
