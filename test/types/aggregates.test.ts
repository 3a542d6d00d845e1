import { expect, test } from 'vitest'
import { objectionsTo } from './program.js'

const source = (kind: string) => `
  import type { Aggregate } from '../../src/domain/aggregate.js'
  import type { ProjectEvent } from '../../src/domain/project/events.js'
  import { type ProjectView, projects } from '../../src/domain/project/aggregate.js'
  import { projectRoles } from '../../src/domain/project-role/aggregate.js'
  const { removal, ...withoutRemoval } = projects
  const { container, ...withoutContainer } = projects
  const { name, ...withoutName } = projects.fields
  export const used = [removal, container, name, withoutRemoval, withoutContainer, withoutName, projectRoles]
  export const kind = ${kind} satisfies Aggregate<{ readonly id: string }, ProjectView, ProjectEvent>`

test('A complete kind compiles.', () => {
  expect(objectionsTo(source('projects'))).toEqual([])
})

test.each([
  ['without one of its parts', 'withoutRemoval'],
  ['that does not say what its objects lie in', 'withoutContainer'],
  ['with a field that is shown and not described', '{ ...projects, fields: withoutName }'],
  ['with the ids of another aggregate', '{ ...projects, ids: projectRoles.ids }'],
  ['with the events of another aggregate', '{ ...projects, events: projectRoles.events }'],
  ['with the rules of another aggregate', '{ ...projects, decider: projectRoles.decider }'],
  ['with the view of another aggregate', '{ ...projects, view: projectRoles.view }'],
])('A kind %s does not compile.', (_, kind) => {
  expect(objectionsTo(source(kind))).toHaveLength(1)
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
