import type * as z from 'zod/mini'
import type { ProjectCommand } from '../../domain/project/commands.js'
import { project } from '../../domain/project/decider.js'
import { projects } from '../../domain/project/kind.js'
import { type Write, write } from '../method/method.js'
import { targetProject } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'
import type { ProjectIds } from './add-project.js'

/** What tells the commands of a project that exists apart. */
interface Change<Data extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Data
  readonly command: (data: z.output<Data>) => ProjectCommand
}

/** A command of a project that exists. */
export const changeProject = <Data extends z.ZodMiniType<ProjectCommand['data']>>(
  runtime: Runtime,
  { method, schema, command }: Change<Data>,
): Write<z.input<Data>, ProjectIds> =>
  write(
    runtime,
    { method, permissions: ['project.write'], schema, target: targetProject },
    (call, input) =>
      writeObject(runtime, call, {
        input,
        kind: projects,
        decide: (view) => {
          const before = view.read(projects, input)
          return project
            .decide(command(input), before.state)
            .map((events) => [record(before, events)])
        },
        ids: () => ({ projectId: input.id }),
      }),
  )
