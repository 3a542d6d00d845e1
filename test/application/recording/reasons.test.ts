import { expect, it } from 'vitest'
import { addAllSamples, context, good, iamOn, logOf, newCipher, start } from '../host.js'
import { methods } from '../method/methods.js'

const inContext = { ...context, reason: 'Ticket 4711: “größer” 😀' }

const writing = methods.filter(({ refuses = [] }) => !refuses.includes('reason'))

it.each(writing)('$name keeps its reason with its events, and history shows it', async (method) => {
  const { iam, store } = start()
  await addAllSamples(iam)
  const before = await logOf(store)
  await good(method.of(iamOn(store, { secrets: newCipher }))(method.input, inContext))
  const added = (await logOf(store)).slice(before.length)
  const { items } = await good(iam.history.list({}, context))
  const kept = [...added.map(({ metadata }) => metadata), ...items.slice(before.length)]
  expect(kept.map(({ reason }) => reason)).toEqual(kept.map(() => inContext.reason))
  expect(before.filter(({ metadata }) => Object.hasOwn(metadata, 'reason'))).toEqual([])
})

it('A desired state keeps its reason with the events of each of its appends', async () => {
  const { iam, store } = start()
  const project = { id: 'portal', name: 'Portal', roles: [{ roleKey: 'a', displayName: 'A' }] }
  const grants = [{ grantedOrgId: 'globex', roleKeys: ['a'] }]
  const desired = {
    managedBy: 'ops',
    projects: [
      { ...project, grants },
      { id: 'b', name: 'B' },
    ],
  }
  await good(iam.apply(desired, inContext))
  const kept = (await logOf(store)).map(({ metadata }) => metadata)
  expect(kept.length).toBe(4)
  for (const metadata of kept)
    expect(metadata).toMatchObject({ managedBy: 'ops', reason: inContext.reason })
})
