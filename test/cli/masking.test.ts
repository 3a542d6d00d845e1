import { describe, expect, it } from 'vitest'
import { masking } from '../../src/cli/terminal.js'

const secret = 'canary-of-the-password'

describe('what a terminal shows of an address', () => {
  it.each([
    `host=127.0.0.1 user=u password=${secret}`,
    `password=${secret} host=127.0.0.1`,
    `host=127.0.0.1 PASSWORD = ${secret} dbname=d`,
    `host=127.0.0.1 password='${secret} x' dbname=d`,
    `host=127.0.0.1 password='it\\'s ${secret}' dbname=d`,
    `host=127.0.0.1 password='${secret}`,
    `host=127.0.0.1 sslpassword=${secret} sslkey=/k`,
    `postgres://u:${secret}@127.0.0.1/d`,
    `postgres://u@127.0.0.1/d?password=${secret}`,
  ])('has no password: %s', (address) => {
    const shown = [
      masking([address])(`The driver refused it: ${address}`),
      // As a driver quotes it from the environment.
      masking([])(`Cannot connect with ${address}`),
    ]
    for (const text of shown) expect(text).toContain('***')
    expect(shown.join()).not.toContain(secret)
    expect(shown[1]).toContain('127.0.0.1')
  })

  it('hides passwords too short to be looked for where they are named', () => {
    const address = 'host=h password=abc dbname=d'
    expect(masking([address])(`${address}: abc`)).toBe('host=h password=*** dbname=d: abc')
  })

  it('hides a password with escaped quotes wherever it stands', () => {
    const given = String.raw`host=h password='it\'s mine'`
    expect(masking([given])("FATAL: it's mine")).toBe('FATAL: ***')
  })

  it('leaves other words alone', () => {
    const text = 'The password is wrong: use user=ada and dbname=d'
    expect(masking([])(text)).toBe(text)
  })
})
