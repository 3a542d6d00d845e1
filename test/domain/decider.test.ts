import { err, ok, type Result } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { exists } from '../../src/domain/aggregate.js'
import { decideAll, fold } from '../../src/domain/decider.js'

describe('fold', () => {
  const decider = {
    initialState: '',
    evolve: (state: string, event: string) => `${state}${event}`,
  }

  it('is the initial state before the first event', () => {
    expect(fold(decider, [])).toBe('')
    expect(fold({ ...decider, initialState: 'start' }, [])).toBe('start')
  })

  it('applies events in their order', () => {
    expect(fold(decider, ['a', 'b', 'c'])).toBe('abc')
  })

  it('numbers the events of the stream from 1', () => {
    const numbering = {
      initialState: '',
      evolve: (state: string, event: string, version: number) => `${state}${event}${version}`,
    }
    expect(fold(numbering, ['a', 'b', 'c'])).toBe('a1b2c3')
  })
})

describe('exists', () => {
  it.each([
    { status: 'absent', found: false },
    { status: 'removed', found: false },
    { status: 'active', found: true },
    { status: 'inactive', found: true },
  ])('says $found of what is $status', ({ status, found }) => {
    expect(exists({ status })).toBe(found)
  })
})

describe('decideAll', () => {
  /** Takes up to three in all, one event for each. */
  const counter = {
    decide: (more: number, count: number): Result<readonly 'taken'[], string> =>
      count + more > 3 ? err(`no room for ${more}`) : ok(Array<'taken'>(more).fill('taken')),
    evolve: (count: number) => count + 1,
  }

  it('decides each command on what those before it lead to', () => {
    expect(decideAll(counter, [1, 0, 2], { state: 0, version: 0 })).toEqual(
      ok(['taken', 'taken', 'taken']),
    )
    expect(decideAll(counter, [1], { state: 2, version: 2 })).toEqual(ok(['taken']))
  })

  it('gives each event the version that follows the one before it', () => {
    const versions: number[] = []
    const counting = {
      ...counter,
      evolve: (count: number, _: 'taken', version: number) => {
        versions.push(version)
        return count + 1
      },
    }
    expect(decideAll(counting, [2, 0, 1], { state: 0, version: 4 }).isOk()).toBe(true)
    expect(versions).toEqual([5, 6, 7])
  })

  it('is the first refusal among any other commands', () => {
    expect(decideAll(counter, [2, 2, 5, 1], { state: 0, version: 0 })).toEqual(err('no room for 2'))
    expect(decideAll(counter, [1], { state: 3, version: 3 })).toEqual(err('no room for 1'))
  })

  it('has no events without commands', () => {
    expect(decideAll(counter, [], { state: 3, version: 3 })).toEqual(ok([]))
  })
})
