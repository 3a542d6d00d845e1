import { err } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { projects } from '../../domain/project/kind.js'
import type { ProjectRoleCommand } from '../../domain/project-role/commands.js'
import { projectRole } from '../../domain/project-role/decider.js'
import { projectRoles } from '../../domain/project-role/kind.js'
import type { NotFound } from '../../domain/refusals.js'
import type { ProjectId } from '../../domain/values.js'
import { type Write, write } from '../method/method.js'
import { targetProjectOfRole } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import type { View } from '../recording/view.js'
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'

/** The ids of a role, as every outcome calls them. */
export interface ProjectRoleIds {
  /** The `id` of its project. */
  readonly projectId: string
  /** As given. */
  readonly roleKey: string
}

interface RoleWrite<Schema extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Schema
  readonly command: (data: z.output<Schema>) => ProjectRoleCommand
  /** Whether the command adds the role. */
  readonly isNew?: boolean
}

/** The method that records one command of a role. Its project must exist and stay unchanged until then. */
export const writeProjectRole = <Schema extends z.ZodMiniType<ProjectRoleCommand['data']>>(
  runtime: Runtime,
  { method, schema, command, isNew = false }: RoleWrite<Schema>,
): Write<z.input<Schema>, ProjectRoleIds> =>
  write(
    runtime,
    {
      method,
      permissions: ['project.role.write'],
      schema,
      target: targetProjectOfRole,
      refuses: isNew ? ['expectedSequence'] : [],
    },
    (call, input) => {
      const { projectId, roleKey } = input
      return writeObject(runtime, call, {
        input,
        kind: projectRoles,
        decide: (view) => {
          const missing = missingProject(view, projectId)
          if (missing) return err(missing)
          const before = isNew ? view.readNew(projectRoles, input) : view.read(projectRoles, input)
          return projectRole
            .decide(command(input), before.state)
            .map((events) => [record(before, events)])
        },
        ids: () => ({ projectId, roleKey }),
      })
    },
  )

/** The refusal when the project does not exist. */
export const missingProject = (view: View, id: ProjectId): NotFound | undefined =>
  exists(view.read(projects, { id }).state)
    ? undefined
    : { kind: 'NotFound', object: { type: 'project', id } }
