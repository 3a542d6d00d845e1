import type { Metadata } from '../ports/event-store.js'

/**
 * The desired state that protects an object after one of its events; undefined if none does. Only an event of a desired
 * state protects an object, and only one of the same desired state lifts that.
 *
 * @param before - what protected it before; undefined of an object that the event adds
 */
export const protectorAfter = (
  before: string | undefined,
  { managedBy, protect }: Pick<Metadata, 'managedBy' | 'protect'>,
): string | undefined => {
  if (managedBy === undefined || (before !== undefined && before !== managedBy)) return before
  return protect === true ? managedBy : undefined
}
