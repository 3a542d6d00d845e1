import * as z from 'zod/mini'

/** Longest name of a domain, in ASCII characters. */
const MAX_LENGTH = 253

/** Longest text that is read; longer than a name, because some characters vanish or merge in ASCII. */
const LONGEST_READ = 4 * MAX_LENGTH

/** Letters, digits and inner hyphens, 1 to 63 of them; the last label has a letter, or it would be an IPv4 address. */
const NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Characters that a URL would not read as part of a domain. */
const FOREIGN_ASCII = /[^a-zA-Z0-9.\u0080-\u{10ffff}-]/u

/** Whether `value` is a {@link DomainName}; for where no message is needed. */
export const isDomainName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && NAME.test(value)

/**
 * Converts a domain as people write it to ASCII and lower case; undefined if it is not a domain of at least two labels.
 * A trailing dot is not accepted.
 */
export const toDomainName = (text: string): string | undefined => {
  if (text.length > LONGEST_READ || FOREIGN_ASCII.test(text)) return undefined
  try {
    const { hostname } = new URL(`http://${text}`)
    return isDomainName(hostname) ? hostname : undefined
  } catch {
    return undefined
  }
}

const A_DOMAIN =
  'must be a domain of at least two labels and at most 253 characters, such as example.com'

/** A domain in its ASCII form, in lower case, of 3 to 253 characters. */
export const DomainName = z
  .string({ error: A_DOMAIN })
  .check(z.refine(isDomainName))
  .brand<'DomainName'>()
export type DomainName = z.infer<typeof DomainName>

/** A {@link DomainName}, or a text that {@link toDomainName} converts to one. */
export const DomainInput = z.pipe(
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : A_DOMAIN) })
    .check(z.refine((text) => toDomainName(text) !== undefined)),
  z.pipe(
    z.transform((text: string) => toDomainName(text) ?? text),
    DomainName,
  ),
)
