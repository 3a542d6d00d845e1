// The rules of claviger in the command handler of Emmett, for hosts that store their events there. The host then
// checks permissions and that the project of a role exists, encrypts secrets, and builds views.
import { CommandHandler, getInMemoryEventStore } from '@event-driven-io/emmett'
import { AddProject, type ProjectEvent, type ProjectState, project, projectStream } from 'claviger'

const store = getInMemoryEventStore()

const handle = CommandHandler<ProjectState, ProjectEvent>({
  // The version of an event in its stream counts for roles and grants of projects alone.
  evolve: (state, event) => project.evolve(state, event, 1),
  initialState: () => project.initialState,
})

/** Records what the command decides. @throws what it is refused with */
const run = (orgId: string, command: AddProject) =>
  handle(store, projectStream(orgId, command.data.id), (state) => {
    const decision = project.decide(command, state)
    if (decision.isErr()) throw new Error(decision.error.kind, { cause: decision.error })
    return [...decision.value]
  })

const command = AddProject.parse({
  type: 'AddProject',
  data: { id: 'portal', name: 'Portal', projectRoleCheck: true },
})
const { newState, nextExpectedStreamVersion } = await run('acme', command)
console.log(newState, nextExpectedStreamVersion)

const again = await run('acme', command).catch((error: Error) => error.message)
console.log(again)
if (newState.status !== 'active' || again !== 'AlreadyExists') throw new Error('Surprise')
