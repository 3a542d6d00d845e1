import { expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  type EventRestore,
  type EventStore,
  memoryEventStore,
  type ReadModel,
} from '../../../src/index.js'
import { context, good, iamOn, start } from '../host.js'

const project = { projectId: 'portal' }
const roles = [{ roleKey: 'editor' }]

/** The log of grants whose roles were taken out by hand, as no command does it. */
const emptied = async () => {
  const { iam, store } = start()
  await good(iam.projects.add({ id: 'portal', name: 'Portal', projectRoleCheck: true }, context))
  await good(
    iam.projectRoles.add(
      { ...project, roleKey: 'editor', displayName: 'E', permissions: ['a.read'] },
      context,
    ),
  )
  for (const userId of ['active', 'inactive', 'elsewhere'])
    await good(iam.userGrants.add({ ...project, userId, roles }, context))
  await good(iam.userGrants.deactivate({ ...project, userId: 'inactive' }, context))
  const there = { ...project, userId: 'elsewhere', resource: 'r', roles }
  await good(iam.userGrants.add(there, context))
  const log = await store.readAll(0n, 100)
  return log.map((event) =>
    event.type === 'user_grant.added' && !('resource' in event.data)
      ? { ...event, data: { ...event.data, roles: [] } }
      : event,
  )
}

it('A restored grant without roles is no grant to a check, on every store and at every time', async () => {
  const log = await emptied()
  const at = new Date()
  const answersOn = async (store: EventStore & EventRestore, readModel?: ReadModel) => {
    await store.restore(log)
    const iam = iamOn(store, readModel && { readModel })
    const ending = new AbortController()
    const live = await good(iam.access.live({ signal: ending.signal }))
    const answers: unknown[] = []
    for (const userId of ['active', 'inactive', 'elsewhere'])
      for (const asked of [{ roleKey: 'editor' }, { permission: 'a.read' }, {}])
        for (const on of 'roleKey' in asked ? [{}, { resource: 'r' }] : [{}]) {
          const question = { ...project, ...asked, ...on, userId }
          const found = await good(iam.access.check(question, context))
          const past = await good(iam.access.check({ ...question, at }, context))
          const now = live.check({ ...question, orgId: 'acme' })
          expect([past, now]).toMatchObject([found, found])
          answers.push([userId, asked, on, found.reasons.map(({ kind }) => kind)])
          if (asked.roleKey === undefined) continue
          const explained = { ...question, roleKey: asked.roleKey }
          const { reasons } = await good(iam.access.explain(explained, context))
          expect(reasons).toEqual(found.reasons)
        }
    ending.abort()
    return answers
  }
  const sqlite = openSqlite(':memory:')
  const answers = await answersOn(memoryEventStore())
  expect(answers).toEqual(await answersOn(sqlite.store, sqlite.readModel))
  const role = { roleKey: 'editor' }
  expect(answers).toEqual(
    expect.arrayContaining([
      ['active', role, {}, ['NoGrant']],
      ['inactive', {}, {}, ['NoGrant']],
      ['elsewhere', role, {}, ['NoGrant']],
      ['elsewhere', role, { resource: 'r' }, []],
    ]),
  )
  await sqlite.close()
})
