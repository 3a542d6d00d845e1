import * as z from 'zod/mini'

const RANGE = 'must be a whole number from 1 to 2^53 - 1'

/** Schema of the version of a desired state; a newer one is higher. */
export const accessVersion = z.int({ error: RANGE }).check(z.minimum(1, { error: RANGE }))

/** Refuses a version without `managedBy`. */
export const versionNeedsMarker = z.refine<{ version?: unknown; managedBy?: unknown }>(
  ({ version, managedBy }) => version === undefined || managedBy !== undefined,
  { error: 'is required with version', path: ['managedBy'] },
)
