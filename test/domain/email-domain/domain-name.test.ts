import { describe, expect, it } from 'vitest'
import {
  DomainInput,
  DomainName,
  isDomainName,
  toDomainName,
} from '../../../src/domain/email-domain/domain-name.js'
import { objections } from '../objections.js'

const label = (length: number) => 'a'.repeat(length)
/** A domain of that many characters. */
const domainOf = (length: number) =>
  `${label(63)}.${label(63)}.${label(63)}.${label(length - 194)}.a`

describe('The error of a wrong domain', () => {
  it.each([DomainName, DomainInput])('says what a domain is.', (schema) => {
    for (const value of ['localhost', 'a_b.example', '', 1, null])
      expect(objections(schema, value)).toEqual([
        ': must be a domain of at least two labels and at most 253 characters, such as example.com',
      ])
  })
})

describe('The ASCII form of a domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['a.b', 'a.b'],
    ['1.example', '1.example'],
    ['r3---sn.example', 'r3---sn.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['exam\u00adple.com', 'example.com'],
    ['faß.example', 'xn--fa-hia.example'],
    ['co.uk', 'co.uk'],
    ['example.3com', 'example.3com'],
    [`${label(63)}.example`, `${label(63)}.example`],
    [domainOf(253), domainOf(253)],
  ])('of %s is %s.', (text, name) => {
    expect(toDomainName(text)).toBe(name)
    expect(toDomainName(name)).toBe(name)
    expect(isDomainName(name)).toBe(true)
  })

  it('is read from at most 1,012 characters.', () => {
    const withHyphens = (length: number) => `exam${'\u00ad'.repeat(length - 11)}ple.com`
    expect(toDomainName(withHyphens(1_012))).toBe('example.com')
    expect(toDomainName(withHyphens(1_013))).toBeUndefined()
  })

  it('of a look-alike is another one.', () => {
    expect(toDomainName('gооgle.com')).toBe('xn--ggle-55da.com')
  })

  it.each([
    '',
    '.',
    'com',
    'localhost',
    'example.com.',
    '.example.com',
    'a..b',
    '-a.example',
    'a-.example',
    'a_b.example',
    `${label(64)}.example`,
    domainOf(254),
    'a.1',
    '127.0.0.1',
    '127.1',
    '0x7f.0.0.1',
    '1.2.3.4.5',
    '[::1]',
    '::1',
    '[127.0.0.1]',
    '１２７.0.0.1',
    'a b.example',
    ' example.com',
    'example.com\n',
    'exa\tmple.com',
    'example.com:80',
    'user@example.com',
    'example.com/path',
    'example.com\\path',
    'example.com?',
    'example.com#',
    'exa%6dple.com',
    '*.example.com',
    'a,b.example',
    '\ud800.example',
    'a\0.example',
    'x'.repeat(1_000_000),
    'é'.repeat(1_000_000),
  ])('of %j does not exist.', (text) => {
    expect(toDomainName(text)).toBeUndefined()
    expect(isDomainName(text)).toBe(false)
  })

  it.each(['Example.com', 'bücher.example'])('is not %s itself.', (text) => {
    expect(isDomainName(text)).toBe(false)
  })
})
