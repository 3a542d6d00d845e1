import { describe, expect, it } from 'vitest'
import { progressTexts } from '../../src/cli/commands/rebuild.js'

const progressed = (
  reached: readonly (readonly [seconds: number, done: number])[],
  total = 100_000,
) => {
  const progress = progressTexts()
  for (const [seconds, done] of reached) progress.add({ done, total }, seconds * 1000)
  return (seconds: number) => progress.textAt(seconds * 1000)
}

describe('The progress of a rebuild', () => {
  it('is not shown before there is any', () => {
    expect(progressed([])(5)).toBeUndefined()
  })

  it('has no estimate before there is a pace', () => {
    expect(progressed([[1, 2_000]])(2)).toBe('2,000 of 100,000 events')
  })

  it('estimates what is left by the pace', () => {
    const textAt = progressed([1, 2, 3, 4].map((second) => [second, second * 2_000]))
    expect(textAt(4)).toBe('8,000 of 100,000 events, 2,000 a second, about 46 s left')
  })

  it('follows the last seconds when the pace changes', () => {
    const fast = [1, 2, 3].map((second) => [second, second * 20_000] as const)
    const slow = Array.from({ length: 12 }, (_, n) => [4 + n, 60_000 + n * 200] as const)
    const textAt = progressed([...fast, ...slow])
    expect(textAt(15)).toBe('62,200 of 100,000 events, 200 a second, about 3 min left')
  })

  it('estimates longer the longer nothing happens, and then nothing', () => {
    const textAt = progressed([1, 2, 3, 4].map((second) => [second, second * 2_000]))
    expect(textAt(7)).toBe('8,000 of 100,000 events, 1,000 a second, about 92 s left')
    expect(textAt(13)).toMatch(/about \d min left$/)
    expect(textAt(14)).toBe('8,000 of 100,000 events, none in the last 10 s')
    expect(textAt(500)).toBe('8,000 of 100,000 events, none in the last 10 s')
  })

  it('does not say that it is done while events come in', () => {
    const textAt = progressed([
      [1, 99_000],
      [2, 101_000],
    ])
    expect(textAt(2)).toContain(
      '101,000 of 100,000 events, 2,000 a second, now the events recorded',
    )
  })

  it('shows the pace alone when the store cannot count', () => {
    const progress = progressTexts()
    for (const second of [1, 2]) progress.add({ done: second * 500 }, second * 1000)
    expect(progress.textAt(2_000)).toBe('1,000 events, 500 a second')
  })
})
