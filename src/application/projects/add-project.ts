import * as z from 'zod/mini'
import { AddProject } from '../../domain/project/commands.js'
import { projectStream } from '../../domain/project/events.js'
import { ProjectId } from '../../domain/values.js'
import { type Write, write } from '../method/method.js'
import { targetProject } from '../method/target.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import type { GivenProject } from './given-project.js'

/** The id of a project, as every outcome calls it. */
export interface ProjectIds {
  /** The `id` of the project. */
  readonly projectId: string
}

/** {@link AddProject}; without an own `id` the project gets a new ULID. */
export const AddProjectInput = z.extend(AddProject.shape.data, { id: z.optional(ProjectId) })
export interface AddProjectInput extends GivenProject {
  /**
   * An own id: 1 to 64 letters of ASCII, digits or any of `. _ : @ ~ -`, starting with a letter or digit;
   * not one that is or was taken in the organization. A new ULID when absent.
   */
  readonly id?: string | undefined
}

/** @see AddProject */
export const addProject = (runtime: Runtime): Write<AddProjectInput, ProjectIds> =>
  write(
    runtime,
    {
      method: 'projects.add',
      permissions: ['project.write'],
      schema: AddProjectInput,
      target: targetProject,
      refuses: ['expectedSequence'],
    },
    (call, input) => {
      const { orgId } = call
      const id = input.id ?? ProjectId.parse(runtime.newId())
      const project = runtime.projects.track(projectStream(orgId, id), true)
      return transact(runtime, call, {
        command: { method: call.method, input },
        object: project,
        writes: [project],
        decide: () => project.decide({ type: 'AddProject', data: { ...input, id } }),
        ids: (stream) => ({ projectId: stream.slice(projectStream(orgId, '').length) }),
      })
    },
  )
