import { expect, it } from 'vitest'
import { projectRole } from '../../src/index.js'
import { given } from '../../src/testing/given.js'

it('throws for a command that the decider does not know', () => {
  const command = { type: 'AddProjectRoles', data: {} }
  expect(() => given(projectRole, []).when(command as never)).toThrow(
    new TypeError('The decider does not know this command'),
  )
})
