import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeText } from '../../../src/transport/json/write.js'

describe('A time in JSON', () => {
  it('is what toISOString makes of it', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (dates) => {
        expect(dates.map(timeText)).toEqual(dates.map((date) => date.toISOString()))
      }),
    )
  })

  it.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2026-01-31T09:05:07.004Z',
    '-000001-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])('is written as %s, after a time of the same day too', (text) => {
    const date = new Date(text)
    expect([timeText(date), timeText(date)]).toEqual([text, text])
  })

  it('must be valid', () => {
    expect(() => timeText(new Date(Number.NaN))).toThrow(RangeError)
  })
})
