import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fromBase64,
  fromBase64url,
  jsonBytes,
  toBase64,
  toBase64url,
} from '../../src/domain/encoding.js'

describe('base64url', () => {
  it('writes what RFC 4648, section 5, writes, without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toBase64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
      }),
    )
  })

  it('reads what it wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromBase64url(toBase64url(bytes))).toEqual(bytes)
      }),
    )
  })

  it.each(['A', 'AAAAA', 'AA==', 'A A', 'AA\n', 'A+', 'A/', 'A*', 'é', '\uD800', 'AB', 'AAB'])(
    'reads nothing from %j, which it writes for no bytes',
    (text) => {
      expect(fromBase64url(text)).toBeUndefined()
    },
  )
})

describe('jsonBytes', () => {
  it('counts the bytes of JSON in UTF-8', () => {
    expect(jsonBytes({ name: 'Zoë' })).toBe(15)
  })
})

describe('base64', () => {
  it('writes what RFC 4648, section 4, writes, with padding, and reads what it wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = toBase64(bytes)
        expect(text).toBe(Buffer.from(bytes).toString('base64'))
        expect(fromBase64(text)).toEqual(bytes)
      }),
    )
  })

  it.each(['A', 'AAA', 'AA', 'A===', 'AA=', '=AAA', 'AA==AA==', 'AA_=', 'AAA\n', 'AB==', 'AAB='])(
    'reads nothing from %j, which it writes for no bytes',
    (text) => {
      expect(fromBase64(text)).toBeUndefined()
    },
  )
})
