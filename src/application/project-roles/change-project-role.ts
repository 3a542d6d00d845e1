import { err, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import type { ProjectState } from '../../domain/project/decider.js'
import { projectStream } from '../../domain/project/events.js'
import type { ProjectRoleCommand } from '../../domain/project-role/commands.js'
import { projectRoleStream } from '../../domain/project-role/events.js'
import type { NotFound } from '../../domain/refusals.js'
import type { ProjectId } from '../../domain/values.js'
import { type Write, write } from '../method/method.js'
import { targetProjectOfRole } from '../method/target.js'
import { rememberingLast } from '../recording/remembering-last.js'
import { transact } from '../recording/transact.js'
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
): Write<z.input<Data>, ProjectRoleIds> => {
  const streamOfProject = rememberingLast(projectStream)
  const startOfRole = rememberingLast((orgId, projectId) => projectRoleStream(orgId, projectId, ''))
  return write(
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
      const { orgId } = call
      const project = runtime.projects.track(streamOfProject(orgId, projectId))
      const role = runtime.projectRoles.track(`${startOfRole(orgId, projectId)}${roleKey}`, isNew)
      return transact(runtime, call, {
        command: { method, input },
        object: role,
        writes: [role],
        guard: project,
        decide: () => {
          const refusal = refuseUnlessExists(project.state, projectId)
          return refusal ?? role.decide(command(input))
        },
        ids: () => ({ projectId, roleKey }),
      })
    },
  )
}

/** The refusal of what needs a project; undefined when it exists. */
export const refuseUnlessExists = (
  state: ProjectState,
  projectId: ProjectId,
): Result<never, NotFound> | undefined =>
  exists(state) ? undefined : err({ kind: 'NotFound', object: { type: 'project', id: projectId } })
