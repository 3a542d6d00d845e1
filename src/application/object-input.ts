import * as z from 'zod/mini'
import { IdpId, ProjectId, RoleKey } from '../domain/values.js'

/** Names one object of the organization. */
export const ObjectInput = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('identity_provider'), idpId: IdpId }),
    z.strictObject({ type: z.literal('project'), id: ProjectId }),
    z.strictObject({ type: z.literal('project_role'), projectId: ProjectId, roleKey: RoleKey }),
  ],
  { error: 'must name an object by type and ids' },
)
export type ObjectInput = z.input<typeof ObjectInput>
