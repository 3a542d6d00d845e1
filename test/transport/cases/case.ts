import type { EventStore, Iam } from 'claviger'
import type { Answer, Call } from '../call.js'

/** Calls one after the other, and the HTTP status of the last. */
export interface Case {
  readonly name: string
  readonly calls: readonly Call[]
  readonly httpStatus: number
  /** Puts something between the library and its store. */
  readonly store?: (store: EventStore) => EventStore
  /** A call that the library throws at, or does not get, and what is answered instead. */
  readonly throws?: { readonly iam: (iam: Iam) => Iam; readonly answer: Answer }
}
