// Cookies that nobody but this product can make: text, when it ends, and an HMAC of both and of the cookie's name.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CookieOptions, Response } from 'express'

export interface Cookies {
  /** Gives the browser `text`, to be sent back for so many seconds. */
  readonly write: (response: Response, cookie: Cookie) => void
  /** What was written, of the header `cookie` of a request; undefined for what has ended or is not ours. */
  readonly read: (header: string | null | undefined, name: string) => string | undefined
}

export interface Cookie {
  readonly name: string
  readonly text: string
  readonly seconds: number
}

/** `key` is the same in all instances; `secure` is false on a developer's machine alone, where there is no TLS. */
export const signedCookies = (key: Uint8Array, secure: boolean): Cookies => {
  const signatureOf = (name: string, value: string) =>
    createHmac('sha256', key).update(`${name}=${value}`).digest()
  // Lax: other sites cannot have the browser send it with anything but a link.
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' }
  return {
    write: (response, { name, text, seconds }) => {
      const until = Date.now() + seconds * 1_000
      const value = `${Buffer.from(text).toString('base64url')}.${until}`
      const signed = `${value}.${signatureOf(name, value).toString('base64url')}`
      response.cookie(name, signed, { ...options, maxAge: seconds * 1_000 })
    },
    read: (header, name) => {
      const cookie = header?.split('; ').find((each) => each.startsWith(`${name}=`))
      const [text = '', until = '', signature = ''] =
        cookie?.slice(name.length + 1).split('.') ?? []
      const given = Buffer.from(signature, 'base64url')
      const right = signatureOf(name, `${text}.${until}`)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      return Number(until) > Date.now() ? Buffer.from(text, 'base64url').toString() : undefined
    },
  }
}
