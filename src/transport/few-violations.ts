import type { IamError, Violation } from '../index.js'

/** In gRPC, details are a trailer, of which clients take 8 KiB in base64. */
const MOST_BYTES = 5_000

/** Of the name of a field: longer than any of ours, which strangers need not be. */
const LONGEST_NAME = 100

/** The error with as many violations, from the first on, as fit in every protocol; at least one. */
export const withFewViolations = (error: IamError): IamError => {
  if (error.kind !== 'InvalidArgument') return error
  let left = MOST_BYTES
  const violations = error.violations.map(shortened).filter(({ field, description }, index) => {
    left -= new TextEncoder().encode(field + description).length + OVERHEAD
    return left >= 0 || index === 0
  })
  return { ...error, violations }
}

/** Of a violation in protobuf: tags and lengths. */
const OVERHEAD = 8

const shortened = ({ field, description }: Violation): Violation => {
  const characters = [...field.slice(0, 2 * LONGEST_NAME)]
  const isLong = characters.length > LONGEST_NAME
  return { field: isLong ? `${characters.slice(0, LONGEST_NAME).join('')}…` : field, description }
}
