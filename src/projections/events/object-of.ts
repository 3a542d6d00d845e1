import type { AnyEvent } from '../../domain/kinds.js'
import type { ObjectRef } from '../../domain/values.js'
import { kindOf } from './kind-of.js'

/** The object that an event tells of. */
export const objectOf = ({ type, data }: AnyEvent): ObjectRef => kindOf(type).ref(data)
