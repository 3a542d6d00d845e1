import { decodeTime, isValid } from 'ulid'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ulidFactory } from '../../../src/application/recording/new-id.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const draw = (count: number, newId = ulidFactory()): readonly string[] =>
  Array.from({ length: count }, () => newId())

describe('the ids that are drawn', () => {
  it('are ULIDs, as the package of that name reads them', () => {
    vi.useFakeTimers({ now: new Date('2026-01-02T03:04:05.678Z') })
    for (const id of draw(100)) {
      expect(isValid(id)).toBe(true)
      expect(decodeTime(id)).toBe(Date.parse('2026-01-02T03:04:05.678Z'))
    }
  })

  it('rise within a millisecond, over many, and when the clock runs backwards', () => {
    vi.useFakeTimers({ now: 1_000_000_000_000 })
    const newId = ulidFactory()
    const ids = [...draw(1_000, newId)]
    vi.setSystemTime(1_000_000_000_001)
    ids.push(...draw(1_000, newId))
    vi.setSystemTime(999_999_999_000)
    ids.push(...draw(1_000, newId))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('rise still when a millisecond has more of them than its random part has room for', () => {
    vi.useFakeTimers({ now: 1_000_000_000_000 })
    // The highest random part there is.
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((pool) => {
      if (pool instanceof Uint32Array) pool.fill(2 ** 32 - 1)
      return pool
    })
    const ids = draw(3)
    expect(ids.toSorted()).toEqual(ids)
    expect(ids.map((id) => decodeTime(id) - 1_000_000_000_000)).toEqual([0, 1, 2])
  })

  it('are others in every process, even within one millisecond', () => {
    vi.useFakeTimers({ now: 1_000_000_000_000 })
    const [one] = draw(1)
    const [other] = draw(1)
    expect(one?.slice(10)).not.toBe(other?.slice(10))
  })
})
