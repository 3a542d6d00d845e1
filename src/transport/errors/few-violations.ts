import type { IamError, Violation } from '../../index.js'

/** In gRPC, details are a trailer, of which clients take 8 KiB in base64. */
const MOST_BYTES = 5_000

/** Of the name of a field: longer than any of ours, which strangers need not be. */
const LONGEST_NAME = 100

/** Of UTF-16, enough to tell whether there are more characters; what is cut in two stands beyond them. */
const MOST_UNITS = 2 * (LONGEST_NAME + 1)

/** The error with as many violations, from the first on, as fit in every protocol; at least one. */
export const withFewViolations = (error: IamError): IamError =>
  error.kind === 'InvalidArgument' ? { ...error, violations: fewOf(error.violations) } : error

/** As many, from the first on, as fit in every protocol; at least one if there is any. Reads no others. */
export const fewOf = (violations: Iterable<Violation>): readonly Violation[] => {
  const few: Violation[] = []
  let left = MOST_BYTES
  for (const violation of violations) {
    const short = shortened(violation)
    left -= new TextEncoder().encode(short.field + short.description).length + OVERHEAD
    if (left < 0 && few.length > 0) break
    few.push(short)
  }
  return few
}

/** Of a violation in protobuf: tags and lengths. */
const OVERHEAD = 8

/** As well-formed text, which JSON need not be: protobuf takes no other. */
const shortened = ({ field, description }: Violation): Violation => {
  const characters = [...field.slice(0, MOST_UNITS).toWellFormed()]
  const name = characters.slice(0, LONGEST_NAME).join('')
  return { field: characters.length > LONGEST_NAME ? `${name}…` : name, description }
}
