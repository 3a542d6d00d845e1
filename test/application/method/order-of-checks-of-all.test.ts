import { expect, it } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { iamOn } from '../host.js'
import { methods, SAMPLE } from './methods.js'
import { checkMethods } from './order-of-checks-suite.js'

it('lists every method there is', () => {
  const iam = iamOn(memoryEventStore())
  const found = Object.entries(iam).flatMap(([group, members]) =>
    typeof members === 'object' ? Object.keys(members).map((name) => `${group}.${name}`) : [],
  )
  // What is for the host itself is called without a context.
  const forHost = [
    'domains.route',
    'access.live',
    'access.of',
    'setupLinks.redeem',
    'setupLinks.complete',
    'setupLinks.ofDraft',
    'setupLinks.confirmDraft',
  ]
  const withContext = found.filter((name) => !forHost.includes(name))
  // Takes no input and asks for every permission itself: see access/permissions.test.ts.
  const needing = withContext.filter((name) => name !== 'access.permissions')
  expect(methods.map(({ name }) => name).toSorted()).toEqual(needing.toSorted())
})

checkMethods(methods.filter(({ name }) => !SAMPLE.includes(name)))
