import type { RecordedEvent } from '../../ports/event-store.js'
import { demand, demandEqual, lawsOf } from '../law.js'
import type { EventRecoveryLaw } from './harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from './samples.js'

/** What a store keeps when the program or its server crashes; not for one in memory. */
export const eventRecoveryLaws: readonly EventRecoveryLaw[] = lawsOf({
  'answered appends survive a crash with their idempotency keys, and the log goes on': async ({
    open,
    crash,
  }) => {
    const store = await open()
    for (let n = 0; n < 5; n++) {
      const writes = [write(`law-${n}`, 0, { n }), write('law-common', 2 * n, {}, {})]
      await record(store, appendOf(writes, { idempotencyKey: `key-${n}` }))
    }
    const log = await wholeLog(store)
    const recovered = await crash(store)
    demandEqual('the log', await wholeLog(recovered), log)
    const again = firstOf('law-again', { idempotencyKey: 'key-3' })
    demandEqual('a second use of a key', await verdict(recovered, again), {
      kind: 'IdempotencyKeyUsed',
    })
    const [next] = await record(recovered, appendOf([write('law-common', 10, {})]))
    demand((next?.position ?? 0n) > (log.at(-1)?.position ?? 0n), 'positions to rise on')
  },
  'an append interrupted by a crash is there as a whole or not at all': async ({ open, crash }) => {
    const store = await open()
    const appends = Array.from({ length: 50 }, (_, n) =>
      appendOf([write(`law-a-${n}`, 0, { n }, { n }), write(`law-b-${n}`, 0, { n })]),
    )
    const answered: RecordedEvent[] = []
    const sent = appends.map((append) =>
      record(store, append).then(
        (events) => answered.push(...events),
        () => undefined,
      ),
    )
    await Promise.race(sent)
    const recovered = await crash(store)
    const known = [...answered]
    const log = await wholeLog(recovered)
    const positions = new Set(log.map(({ position }) => position))
    demand(
      known.every(({ position }) => positions.has(position)),
      'everything that was answered to be there',
    )
    for (const { id } of appends) {
      const { length } = log.filter(({ appendId }) => appendId === id)
      demand(length === 0 || length === 3, `none or 3 events of an append, not ${length}`)
    }
  },
})
