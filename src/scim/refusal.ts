import { Refusal, refusalOf } from '../handlers/refusal.js'
import type { IamError } from '../index.js'

type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidValue' | 'noTarget' | 'uniqueness'

/** A refusal with a `scimType` (RFC 7644, section 3.12). */
export class ScimRefusal extends Refusal {
  readonly scimType: ScimType

  constructor(status: number, scimType: ScimType, message: string) {
    super(status, message)
    this.scimType = scimType
  }
}

export const invalid = (message: string): ScimRefusal =>
  new ScimRefusal(400, 'invalidValue', message)

export const notFound = (): Refusal => new Refusal(404, 'No such resource')

/** The refusal of a request for which claviger refuses a call. */
export const refusalFor = (error: IamError): Refusal => {
  switch (error.kind) {
    case 'NotFound':
      return new Refusal(403, 'The organization has no such identity provider')
    case 'Aborted':
      return busy()
    default:
      return refusalOf(error)
  }
}

/** Other requests keep changing the same objects. */
export const busy = (): Refusal =>
  new Refusal(503, 'Too many requests change the same object', { retryAfter: 1_000 })
