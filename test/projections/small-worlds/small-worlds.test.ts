import { expect, test } from 'vitest'
import { firstDifference } from './compared.js'
import { smallWorlds } from './program.js'
import { everyClass, PARTS, type Part, worldOf } from './worlds.js'

const CLASSES = [...everyClass()]

test('A role counts in memory, in SQL and in live checks as in the model, in a world of each class', async () => {
  expect(await firstDifference(CLASSES)).toBeUndefined()
})

test.each([
  ['own', 'role_a', 3 ** 4 * 4 ** 2],
  ['own', 'role_b', 3 ** 4 * 4 ** 2],
  ['other', 'role_a', 3 ** 4 * 4 ** 2 * 5],
  ['other', 'role_b', 3 ** 4 * 4 ** 2 * 5],
] as const)(
  'The worlds have each class of what a user of %s and %s depend on',
  (org, role, count) => {
    const parts: readonly Part[] = [
      ...([
        'project',
        'resource',
        role,
        `${org}_provider`,
        `${org}_user`,
        `${org}_report`,
      ] as const),
      ...(org === 'other' ? (['project_grant'] as const) : []),
    ]
    expect(parts.every((part) => PARTS.includes(part))).toBe(true)
    const classes = CLASSES.map(worldOf).map((world) => parts.map((part) => world[part]).join())
    expect(new Set(classes).size).toBe(count)
  },
)

test.each([
  ['memory', 'roles count while the grant of their project is inactive'],
  ['memory', 'a role counts after it has expired'],
  ['memory', 'a mapping that is added again revives the members of the one before'],
  ['read_', 'in SQL, roles of an inactive project count'],
  ['read_', 'in SQL, a role that is taken from the grant of a project goes on'],
])('A fault that is planted in %s is found: %s', async (name, planted) => {
  expect(await smallWorlds([], planted)).toMatch(new RegExp(`^${name}\\S* (lists|allows) `))
})
