import * as z from 'zod/mini'

/** Who records: a desired state by its marker, and the version of it. */
export interface Manager {
  readonly managedBy?: string | undefined
  readonly version?: number | undefined
}

const RANGE = 'must be a whole number from 1 to 2^53 - 1'

/** Which of the desired states of one marker is newer. */
export const accessVersion = z.int({ error: RANGE }).check(z.minimum(1, { error: RANGE }))

/** Objects to a version without the marker that it is a version of. */
export const versionNeedsMarker = z.refine<Manager>(
  ({ version, managedBy }) => version === undefined || managedBy !== undefined,
  { error: 'is required with version', path: ['managedBy'] },
)
