import { demandEqual } from '../../law.js'
import { storeLaws } from '../harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from '../samples.js'

/** When an append is refused. */
export const conflictLaws = storeLaws({
  'a write without events guards the version of its stream and adds nothing to it': async (
    store,
  ) => {
    await record(store, firstOf('law-a'))
    const guarded = appendOf([write('law-a', 1), write('law-b', 0, {})])
    demandEqual('the events of a guarded append', (await record(store, guarded)).length, 1)
    demandEqual('the guarded stream', (await store.readStream('law-a')).length, 1)
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    demandEqual(
      'the answer when the guarded stream has moved on',
      await verdict(store, appendOf([write('law-a', 0), write('law-c', 0, {})])),
      conflict,
    )
    demandEqual(
      'the answer to a mere guard',
      await verdict(store, appendOf([write('law-a', 0)])),
      conflict,
    )
    demandEqual('the stream of the refused append', await store.readStream('law-c'), [])
  },
  'an expected version below or above that of the stream is a conflict': async (store) => {
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    for (const version of [0, 1, 3, 2 ** 40]) {
      const answer = await verdict(store, appendOf([write('law-a', version, {})]))
      demandEqual(`the answer to version ${version} of a stream at 2`, answer, conflict)
    }
    demandEqual('what the log holds', (await wholeLog(store)).length, 2)
  },
  'every write is recorded or none, and the first stream that conflicts is reported': async (
    store,
  ) => {
    await record(store, appendOf([write('law-b', 0, {}), write('law-d', 0, {})]))
    const append = appendOf([
      write('law-a', 0, {}),
      write('law-b', 0, {}),
      write('law-c', 0, {}),
      write('law-d', 5),
    ])
    const conflict = { kind: 'VersionConflict', stream: 'law-b' }
    demandEqual('the answer', await verdict(store, append), conflict)
    const reversed = { ...append, writes: append.writes.toReversed() }
    demandEqual('the answer when the writes are reversed', await verdict(store, reversed), {
      kind: 'VersionConflict',
      stream: 'law-d',
    })
    const taken = appendOf([write('law-a', 0, {}), write('law-b', 0, {})])
    demandEqual('the answer when the last one conflicts', await verdict(store, taken), conflict)
    demandEqual('what the log holds', (await wholeLog(store)).length, 2)
    demandEqual('what the refused append recorded', await store.findAppend(append), [])
  },
})
