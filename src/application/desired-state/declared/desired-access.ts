import type { Result } from 'neverthrow'
import * as z from 'zod/mini'
import { listOf, requiredText } from '../../../domain/values.js'
import type { InvalidArgument } from '../../errors/errors.js'
import { onlyOnce, parse } from '../../method/input.js'
import { accessVersion, versionNeedsMarker } from './access-version.js'
import { DesiredIdentityProvider } from './desired-identity-provider.js'
import { DesiredProject } from './desired-project.js'
import { bounds } from './json-schema-bounds.js'

/** Most projects, and most identity providers, of one desired state. */
export const MAX_OBJECTS = 1_000

/**
 * The desired projects with their roles and grants, and identity providers, of an organization. Only what is declared is
 * compared and changed. Objects are found again by their ids.
 */
export interface DesiredAccess {
  /** At most 1,000, no id twice. */
  readonly projects?: readonly DesiredProject[] | undefined
  /** At most 1,000, no id twice. */
  readonly identityProviders?: readonly DesiredIdentityProvider[] | undefined
  /**
   * Removes roles and grants of declared projects that are no longer declared and were marked with the same `managedBy`
   * and a version not newer than this one; false when absent. Projects and identity providers are never removed.
   */
  readonly prune?: boolean | undefined
  /** Marks recorded events as managed by this desired state: 1 to 200 characters. */
  readonly managedBy?: string | undefined
  /**
   * Version of the desired state with the same `managedBy`: a whole number from 1 to 2^53 - 1, higher for a
   * newer one. Objects that a newer version has marked stay as they are and are shown as `superseded`. Without
   * a version, the desired state is older than any other.
   */
  readonly version?: number | undefined
}

const schema = z
  .strictObject({
    projects: z.optional(
      listOf(DesiredProject, 0, MAX_OBJECTS)
        .check(onlyOnce(({ id }) => id, ['id']))
        .register(bounds, { maxItems: MAX_OBJECTS }),
    ),
    identityProviders: z.optional(
      listOf(DesiredIdentityProvider, 0, MAX_OBJECTS)
        .check(onlyOnce(({ idpId }) => idpId, ['idpId']))
        .register(bounds, { maxItems: MAX_OBJECTS }),
    ),
    prune: z.optional(z.boolean({ error: 'must be true or false' })),
    managedBy: z.optional(requiredText),
    version: z.optional(accessVersion),
  })
  .check(
    z.refine(({ prune, managedBy }) => prune !== true || managedBy !== undefined, {
      error: 'is required with prune',
      path: ['managedBy'],
    }),
    versionNeedsMarker,
  )

/** Schema of a {@link DesiredAccess}. */
export const DesiredAccess: z.ZodMiniType<z.output<typeof schema>, DesiredAccess> = schema
export type ParsedAccess = z.output<typeof schema>

/** Checks a desired state from outside TypeScript, such as a parsed JSON file. */
export const readAccess = (value: unknown): Result<DesiredAccess, InvalidArgument> =>
  parse(DesiredAccess, value)

/**
 * JSON Schema (draft 2020-12) of a {@link DesiredAccess}, for editors. {@link readAccess} checks more:
 * that no id or key appears twice, that text can be stored, and that `prune` and `version` have a `managedBy`.
 */
export const accessJsonSchema = (): object =>
  z.toJSONSchema(schema, {
    io: 'output',
    metadata: bounds,
    override: ({ jsonSchema }) => {
      // In JSON Schema it would mean that a list must not be sent.
      delete jsonSchema.readOnly
    },
  })
