import type * as z from 'zod/mini'
import type { ProjectCommand } from '../../domain/project/commands.js'
import { project } from '../../domain/project/decider.js'
import { projectStream } from '../../domain/project/events.js'
import { projects } from '../../domain/project/kind.js'
import { type Write, write } from '../method/method.js'
import { targetProject } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'

/** The id of a project, as every outcome calls it. */
export interface ProjectIds {
  /** The `id` of the project. */
  readonly projectId: string
}

interface ProjectWrite<Schema extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Schema
  readonly command: (input: z.output<Schema>) => ProjectCommand
  /** Whether the command adds the project. */
  readonly isNew?: boolean
}

/** The method that records one command of a project. */
export const writeProject = <Schema extends z.ZodMiniType<object>>(
  runtime: Runtime,
  { method, schema, command: commandOf, isNew = false }: ProjectWrite<Schema>,
): Write<z.input<Schema>, ProjectIds> =>
  write(
    runtime,
    {
      method,
      permissions: ['project.write'],
      schema,
      target: targetProject,
      refuses: isNew ? ['expectedSequence'] : [],
    },
    (call, input) => {
      const command = commandOf(input)
      return writeObject(runtime, call, {
        input,
        kind: projects,
        decide: (view) => {
          const { data } = command
          const before = isNew ? view.readNew(projects, data) : view.read(projects, data)
          return project.decide(command, before.state).map((events) => [record(before, events)])
        },
        ids: (stream) => ({ projectId: stream.slice(projectStream(call.orgId, '').length) }),
      })
    },
  )
