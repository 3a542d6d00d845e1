import { expect, it } from 'vitest'
import { askInProcess, hostileAnswers } from '../network/raw-answers.js'
import { numRuns } from './inputs.js'

/** Answers of one process. */
const AT_ONCE = 2_000

const seeds = Array.from({ length: Math.ceil(numRuns / AT_ONCE) }, (_, seed) => seed)

it.each(seeds)(
  'A process lives through answers that no server should send, seed %s',
  async (seed) => {
    const { code, complaints, asked } = await askInProcess(hostileAnswers(seed, AT_ONCE), 400)
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(asked).toHaveLength(AT_ONCE)
    expect(asked.filter((each) => each.unexpected !== undefined)).toEqual([])
  },
)
