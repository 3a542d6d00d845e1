import { inspect } from 'node:util'
import fc from 'fast-check'
import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { aesGcmCipher } from '../../../src/adapters/webcrypto/aes-gcm-cipher.js'
import type { SealedSecret } from '../../../src/domain/values.js'

const bytes = (seed: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, at) => seed + at)
const owner = { orgId: 'acme', idpId: 'google' }
const secret = 'a-secret-of-the-provider'
const cipher = aesGcmCipher({ current: 'k1', keys: { k1: bytes(1) } })
const changed = (sealed: string): SealedSecret => sealed as SealedSecret
const tampered = (keyId?: string) =>
  err({ kind: 'SecretUnreadable', reason: 'tampered', ...(keyId === undefined ? {} : { keyId }) })

describe('aesGcmCipher', () => {
  it('opens what it sealed for the same owner', async () => {
    expect(await cipher.open(await cipher.seal(secret, owner), owner)).toEqual(ok(secret))
  })

  it('opens any well-formed text as it was, also with a leading U+FEFF', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await cipher.open(await cipher.seal(text, owner), owner)).toEqual(ok(text))
      }),
    )
    expect(await cipher.open(await cipher.seal('\uFEFFbom', owner), owner)).toEqual(ok('\uFEFFbom'))
  })

  it('still decrypts the first version of the envelope', async () => {
    const sealed = changed('aes1.k1.AAAAAAAAAAAAAAAAoRa3fdg7NZZ6SZZpAxBaZVP34bheD2fD471Yc3h9o0J49Q')
    expect(await cipher.open(sealed, owner)).toEqual(ok('golden secret 😀'))
  })

  it('writes format, key id and base64url without padding', async () => {
    expect(await cipher.seal(secret, owner)).toMatch(/^aes1\.k1\.[A-Za-z0-9_-]+$/)
  })

  it('never seals the same text to the same seal', async () => {
    const seals = await Promise.all(Array.from({ length: 50 }, () => cipher.seal(secret, owner)))
    expect(new Set(seals).size).toBe(50)
  })

  it.each([
    { orgId: 'other', idpId: 'google' },
    { orgId: 'acme', idpId: 'other' },
    { orgId: 'acmeg', idpId: 'oogle' },
    { orgId: 'google', idpId: 'acme' },
  ])('does not open for another owner: $orgId $idpId', async (other) => {
    expect(await cipher.open(await cipher.seal(secret, owner), other)).toEqual(tampered('k1'))
  })

  it('tells two owners apart whose ids join to the same text', async () => {
    const sealed = await cipher.seal(secret, { orgId: 'a","b', idpId: 'c' })
    expect(await cipher.open(sealed, { orgId: 'a', idpId: 'b","c' })).toEqual(tampered('k1'))
  })

  it('does not open when any character of the sealed bytes is changed', async () => {
    const sealed = await cipher.seal(secret, owner)
    const start = 'aes1.k1.'.length
    for (let at = start; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const forged = changed(sealed.slice(0, at) + other + sealed.slice(at + 1))
      expect(await cipher.open(forged, owner)).toEqual(tampered('k1'))
    }
  })

  it('does not open another spelling of the same bytes', async () => {
    const sealed = await cipher.seal('x', owner) // 29 bytes: the last character carries 4 idle bits
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(sealed.at(-1) ?? '')
    const respelled = changed(sealed.slice(0, -1) + alphabet[last + 1])
    expect(await cipher.open(respelled, owner)).toEqual(tampered('k1'))
  })

  it('does not open when it is cut anywhere', async () => {
    const sealed = await cipher.seal(secret, owner)
    for (let end = 'aes1.k1.'.length; end < sealed.length; end++) {
      expect(await cipher.open(changed(sealed.slice(0, end)), owner)).toEqual(tampered('k1'))
    }
  })

  it.each([
    '',
    '.',
    'aes1',
    'aes1.k1',
    'aes1..AAAA',
    'aes2.k1.AAAA',
    'AES1.k1.AAAA',
    'aes1.k1.AAAA.AAAA',
    'aes1.k1.AAAA=',
    'aes1.k1.AA AA',
    'aes1.k1.AAAA\n',
    'aes1.__proto__.AAAA',
    `aes1.${'k'.repeat(65)}.AAAA`,
    '__proto__',
    'constructor',
    '\uD800',
    'plain client secret',
  ])('calls garbage tampered and names no key: %j', async (garbage) => {
    expect(await cipher.open(changed(garbage), owner)).toEqual(tampered())
  })

  it('calls any text tampered or of an unknown key, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((t) => `aes1.k1.${t}`),
        ),
        async (t) => {
          expect((await cipher.open(changed(t), owner)).isErr()).toBe(true)
        },
      ),
    )
  })

  it('names the key that it does not have', async () => {
    const sealed = await aesGcmCipher({ current: 'k2', keys: { k2: bytes(2) } }).seal(secret, owner)
    expect(await cipher.open(sealed, owner)).toEqual(
      err({ kind: 'SecretUnreadable', reason: 'unknown_key', keyId: 'k2' }),
    )
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'has no key %s by accident',
    async (id) => {
      expect(await cipher.open(changed(`aes1.${id}.AAAA`), owner)).toEqual(
        err({ kind: 'SecretUnreadable', reason: 'unknown_key', keyId: id }),
      )
    },
  )

  it('calls a seal tampered that another key of the same id made', async () => {
    const other = aesGcmCipher({ current: 'k1', keys: { k1: bytes(9) } })
    expect(await cipher.open(await other.seal(secret, owner), owner)).toEqual(tampered('k1'))
  })

  it('seals with the current key and opens with the others of the ring', async () => {
    const ring = aesGcmCipher({ current: 'k2', keys: { k1: bytes(1), k2: bytes(2) } })
    const old = await cipher.seal(secret, owner)
    const fresh = await ring.seal(secret, owner)
    expect(await ring.open(old, owner)).toEqual(ok(secret))
    expect(await ring.open(fresh, owner)).toEqual(ok(secret))
    expect([ring.isCurrent(old), ring.isCurrent(fresh)]).toEqual([false, true])
  })

  it('does not take a key for current whose id begins with that of the current one', () => {
    expect(cipher.isCurrent(changed('aes1.k11.AAAA'))).toBe(false)
    expect(cipher.isCurrent(changed('k1'))).toBe(false)
  })

  it('rejects, rather than blame the seal, when WebCrypto is out of order', async () => {
    const sealed = await cipher.seal(secret, owner)
    const decrypt = crypto.subtle.decrypt
    crypto.subtle.decrypt = () => Promise.reject(new Error('out of order'))
    try {
      await expect(cipher.open(sealed, owner)).rejects.toThrow('out of order')
    } finally {
      crypto.subtle.decrypt = decrypt
    }
  })

  it.each([
    ['a Uint8Array', bytes(1)],
    ['a Buffer, whose slices share memory', Buffer.from(bytes(1))],
  ])('copies its keys: %s', async (_, key) => {
    const copying = aesGcmCipher({ current: 'k1', keys: { k1: key } })
    key.fill(0)
    expect(await cipher.open(await copying.seal(secret, owner), owner)).toEqual(ok(secret))
  })

  it('shows no key to inspect or JSON.stringify', async () => {
    const key = crypto.getRandomValues(new Uint8Array(32))
    const shown = aesGcmCipher({ current: 'k1', keys: { k1: key } })
    await shown.seal(secret, owner)
    const text = inspect(shown, { depth: 9, showHidden: true }) + JSON.stringify(shown)
    expect(text).not.toMatch(/Uint8Array|CryptoKey/)
    expect(text).not.toContain([...key.subarray(0, 4)].join(', '))
    expect(JSON.stringify(shown)).toBe('{}')
  })

  it('imports each key once, not extractable', async () => {
    const imported: unknown[][] = []
    const importKey = crypto.subtle.importKey
    crypto.subtle.importKey = ((...call: Parameters<typeof importKey>) => {
      imported.push(call)
      return importKey.apply(crypto.subtle, call)
    }) as typeof importKey
    try {
      const counted = aesGcmCipher({ current: 'k1', keys: { k1: bytes(1), k2: bytes(2) } })
      const seals = await Promise.all([counted.seal(secret, owner), counted.seal(secret, owner)])
      for (const sealed of seals) await counted.open(sealed, owner)
    } finally {
      crypto.subtle.importKey = importKey
    }
    expect(imported.map(([, , , extractable]) => extractable)).toEqual([false])
  })
})

describe('aesGcmCipher refuses', () => {
  const build = (options: unknown) => () =>
    aesGcmCipher(options as Parameters<typeof aesGcmCipher>[0])

  it.each<[string, unknown, new () => Error, RegExp]>([
    ['no options', undefined, TypeError, /^keys /],
    ['no keys', { current: 'k1' }, TypeError, /^keys /],
    ['keys that are null', { current: 'k1', keys: null }, TypeError, /^keys /],
    ['keys that are text', { current: 'k1', keys: 'k1' }, TypeError, /^keys /],
    ['no current', { keys: { k1: bytes(1) } }, TypeError, /^current /],
    ['a current of another type', { current: 1, keys: { 1: bytes(1) } }, TypeError, /^current /],
    ['an unknown current', { current: 'k2', keys: { k1: bytes(1) } }, RangeError, /^current /],
    ['an empty ring', { current: 'k1', keys: {} }, RangeError, /^current /],
    ['an inherited current', { current: 'toString', keys: {} }, RangeError, /^current /],
    [
      'a current __proto__',
      { current: '__proto__', keys: { k1: bytes(1) } },
      RangeError,
      /^current /,
    ],
    ['a key of text', { current: 'k1', keys: { k1: 'x'.repeat(32) } }, TypeError, /^keys\.k1 /],
    ['a key of numbers', { current: 'k1', keys: { k1: [...bytes(1)] } }, TypeError, /^keys\.k1 /],
    ['an undefined key', { current: 'k1', keys: { k1: undefined } }, TypeError, /^keys\.k1 /],
    ['a short key', { current: 'k1', keys: { k1: new Uint8Array(31) } }, RangeError, /^keys\.k1 /],
    ['a long key', { current: 'k1', keys: { k1: new Uint8Array(33) } }, RangeError, /^keys\.k1 /],
    [
      'a bad key beside a good one',
      { current: 'k1', keys: { k1: bytes(1), k2: new Uint8Array(16) } },
      RangeError,
      /^keys\.k2 /,
    ],
    ...['', 'a.b', 'a b', 'é', '-a', '_a', 'k'.repeat(65), 'k1\n', '__proto__'].map(
      (id): [string, unknown, new () => Error, RegExp] => [
        `the key id ${JSON.stringify(id)}`,
        {
          current: 'k1',
          keys: Object.fromEntries([
            ['k1', bytes(1)],
            [id, bytes(1)],
          ]),
        },
        RangeError,
        /^keys: a key id /,
      ],
    ),
  ])('%s', (_, options, type, message) => {
    expect(build(options)).toThrow(type)
    expect(build(options)).toThrow(message)
  })

  it.each(['k', 'K-1_b', '2026-11', 'constructor', 'k'.repeat(64)])(
    'not the key id %s',
    async (id) => {
      const named = aesGcmCipher({ current: id, keys: { [id]: bytes(1) } })
      expect(await named.open(await named.seal(secret, owner), owner)).toEqual(ok(secret))
    },
  )

  it('and repeats no value that was given', () => {
    const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
    const wrong = [
      { current: key, keys: { k1: bytes(1) } },
      { current: 'k1', keys: { [key]: bytes(1) } },
      { current: 'k1', keys: { k1: key } },
      { current: 'k1', keys: key },
    ]
    for (const options of wrong) {
      expect(build(options)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(key) }),
      )
    }
  })
})
