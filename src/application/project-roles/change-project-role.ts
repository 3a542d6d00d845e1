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
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'

/** The ids of a role, as every outcome calls them. */
export interface ProjectRoleIds {
  /** The `id` of its project. */
  readonly projectId: string
  /** As given. */
  readonly roleKey: string
}

/** What tells the commands of a single role apart. */
interface Change<Data extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Data
  readonly command: (data: z.output<Data>) => ProjectRoleCommand
  /** Whether the role is expected not to exist yet. */
  readonly isNew?: boolean
}

/** A command of a role, in a project that exists and has not changed once the role has. */
export const changeProjectRole = <Data extends z.ZodMiniType<ProjectRoleCommand['data']>>(
  runtime: Runtime,
  { method, schema, command, isNew = false }: Change<Data>,
): Write<z.input<Data>, ProjectRoleIds> =>
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
          if (!exists(view.read(projects, { id: projectId }).state))
            return err(noProject(projectId))
          const before = isNew ? view.readNew(projectRoles, input) : view.read(projectRoles, input)
          return projectRole
            .decide(command(input), before.state)
            .map((events) => [record(before, events)])
        },
        ids: () => ({ projectId, roleKey }),
      })
    },
  )

/** The refusal of what needs a project that does not exist. */
export const noProject = (id: ProjectId): NotFound => ({
  kind: 'NotFound',
  object: { type: 'project', id },
})
