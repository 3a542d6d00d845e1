import type * as z from 'zod/mini'
import type { ProjectCommand } from '../../domain/project/commands.js'
import { projectStream } from '../../domain/project/events.js'
import { type Write, write } from '../method/method.js'
import { targetProject } from '../method/target.js'
import { transact } from '../recording/transact.js'
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
    (call, input) => {
      const project = runtime.projects.track(projectStream(call.orgId, input.id))
      return transact(runtime, call, {
        command: { method, input },
        object: project,
        writes: [project],
        decide: () => project.decide(command(input)),
        ids: () => ({ projectId: input.id }),
      })
    },
  )
