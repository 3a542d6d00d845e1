import type { Violation } from '../../index.js'

/** In gRPC, details are a trailer. Clients accept 8 KiB of trailers, and base64 adds a third. */
const MAX_BYTES = 5_000

/** Characters of a field's name. No name of ours is longer; an unknown one may be. */
const MAX_NAME = 100

/** Tags and lengths of a violation in protobuf. */
const OVERHEAD = 8

/** The first violations, as many as every protocol can carry; at least one if there is any. */
export const limitViolations = (violations: readonly Violation[]): readonly Violation[] => {
  const limited: Violation[] = []
  let left = MAX_BYTES
  for (const violation of violations) {
    const short = shortened(violation)
    left -= new TextEncoder().encode(short.field + short.description).length + OVERHEAD
    if (left < 0 && limited.length > 0) break
    limited.push(short)
  }
  return limited
}

/** As well-formed text: protobuf takes no other, and JSON has it. */
const shortened = ({ field, description }: Violation): Violation => {
  // A character has at most two units. The slice cuts none of the first hundred.
  const characters = [...field.slice(0, 2 * (MAX_NAME + 1)).toWellFormed()]
  const name = characters.slice(0, MAX_NAME).join('')
  return { field: characters.length > MAX_NAME ? `${name}…` : name, description }
}
