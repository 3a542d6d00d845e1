import { expect, test } from 'vitest'
import { objectionsTo } from './program.js'

const source = (definition: string) => `
  import type { AggregateDefinition } from '../../src/domain/aggregate.js'
  import type { ProjectEvent } from '../../src/domain/project/events.js'
  import { type ProjectState, type ProjectView, projects } from '../../src/domain/project/aggregate.js'
  import { projectRoles } from '../../src/domain/project-role/aggregate.js'
  import type { ProjectRef } from '../../src/domain/values.js'
  const { states, ...withoutStates } = projects
  const { adds, ...withoutAdds } = projects
  const { show, ...withoutShow } = projects
  const { name, ...withoutName } = projects.fields
  export const used = [states, adds, show, name, projectRoles]
  export const others = [withoutStates, withoutAdds, withoutShow, withoutName]
  const definition = ${definition} satisfies AggregateDefinition<ProjectRef, ProjectView, ProjectEvent, ProjectState>
  export { definition }`

test('A complete definition compiles.', () => {
  expect(objectionsTo(source('projects'))).toEqual([])
})

test.each([
  ['without one of its parts', 'withoutStates'],
  ['that does not say which event adds an object', 'withoutAdds'],
  [
    'with an event of another aggregate that removes it',
    "{ ...projects, removes: 'project_role.removed' as const }",
  ],
  ['with a field that is shown and not described', '{ ...projects, fields: withoutName }'],
  ['with the ids of another aggregate', '{ ...projects, ids: projectRoles.ids }'],
  ['with a key of ids that it lacks', "{ ...projects, keyIds: ['projectId'] as const }"],
  ['with the events of another aggregate', '{ ...projects, events: projectRoles.events }'],
  ['with the rules of another aggregate', '{ ...projects, decider: projectRoles.decider }'],
  ['that does not say what reads show', 'withoutShow'],
  ['with what reads show of another aggregate', '{ ...projects, show: projectRoles.show }'],
  ['with the fact of another aggregate', '{ ...projects, fact: projectRoles.fact }'],
  ['within an object that contains no others', "{ ...projects, within: ['domain'] as const }"],
  ['with a secret that is no name', '{ ...projects, secrets: [1] }'],
])('A definition %s does not compile.', (_, definition) => {
  expect(objectionsTo(source(definition))).toHaveLength(1)
})

test.each([
  ['A method that records a command of its aggregate compiles', 'UpdateProject', 0],
  ['One that records a command of another does not', 'UpdateProjectRole', 1],
])('%s.', (_, command, objections) => {
  const methods = `
    import { writesOf } from '../../src/application/writing/write-object.js'
    import type { Runtime } from '../../src/application/runtime.js'
    import { projects } from '../../src/domain/project/aggregate.js'
    import { ${command} } from '../../src/index.js'
    export const made = (runtime: Runtime) =>
      writesOf(runtime, projects, ({ id }) => ({ id })).change('projects.change', ${command})`
  expect(objectionsTo(methods)).toHaveLength(objections)
})
