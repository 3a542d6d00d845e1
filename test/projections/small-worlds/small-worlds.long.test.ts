import { expect, test } from 'vitest'
import { searched } from '../../nightly.js'
import { smallWorlds } from './program.js'
import { WORLDS } from './worlds.js'

/** All of them take many minutes; a change waits for a part of them, which is another one each day. */
const COUNT = searched({ short: 10_000, nightly: WORLDS })

test(`A role counts as in the model in ${COUNT} small worlds`, { timeout: 3_600_000 }, async () => {
  const today = Math.floor(Date.now() / 86_400_000)
  const from = COUNT === WORLDS ? 0 : (today * COUNT) % (WORLDS - COUNT)
  const half = from + COUNT / 2
  const ranges = [
    [from, half],
    [half, from + COUNT],
  ].map((range) => smallWorlds(range.map(String)))
  for (const found of await Promise.all(ranges)) expect(found).toBe(`${COUNT / 2} worlds agree\n`)
})
