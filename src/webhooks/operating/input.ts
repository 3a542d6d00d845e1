import type { IamError, Position } from '../../index.js'
import { isEndpointId, isPosition } from '../endpoint.js'
import type { Setup } from '../options.js'

/** Which endpoint to look at. */
export interface StatusInput {
  /** Id of the endpoint; all that the host answers with when absent. */
  readonly endpoint?: string | undefined
}

/** Which endpoint to send to again, and from where. */
export interface RedeliverInput {
  /** Id of the endpoint. */
  readonly endpoint: string
  /**
   * Position after which messages are sent again, exclusive: `0n`, the start of the log, to `2n ** 64n - 1n`. One above
   * what was taken leaves out what lies between. When absent, the endpoint continues where it was.
   */
  readonly after?: Position | undefined
}

/** What is wrong with an input; undefined when nothing is. */
export const objectionToInput = (
  input: StatusInput | RedeliverInput,
  { fields, required }: { readonly fields: readonly string[]; readonly required: boolean },
): IamError | undefined => {
  const given = Object(input)
  const violations = Object.keys(given)
    .filter((name) => !fields.includes(name))
    .map((field) => ({ field, description: 'is not a field of this input' }))
  const { endpoint, after } = given
  if (endpoint === undefined ? required : !isEndpointId(endpoint))
    violations.push({ field: 'endpoint', description: 'must be 1 to 200 characters' })
  if (after !== undefined && !isPosition(after))
    violations.push({ field: 'after', description: 'must be a bigint from 0 to 2 ** 64 - 1' })
  return violations.length === 0 ? undefined : { kind: 'InvalidArgument', violations }
}

/** Ids of the endpoints that the host answers with, each once, without those that are malformed. */
export const listedIds = async ({ options }: Setup): Promise<readonly string[]> => {
  const listed = await options.endpoints()
  return [...new Set(listed.map((endpoint) => endpoint?.id).filter(isEndpointId))]
}

/** About an endpoint that neither the host nor the cursors know. */
export const unknownEndpoint: IamError = {
  kind: 'InvalidArgument',
  violations: [{ field: 'endpoint', description: 'must be that of an endpoint' }],
}
