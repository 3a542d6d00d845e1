import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import type { AnyEvent } from '../../../../src/domain/aggregates.js'
import {
  NOW,
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  projectGrantRemoved,
  projectGrantUpdated,
  userGrantAdded,
} from '../../../../src/laws/read-model/grant-samples.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { mappingAdded, reported } from '../../../../src/laws/read-model/mapping-samples.js'
import {
  idpAdded,
  idpDeactivated,
  idpRemoved,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from '../../../../src/laws/read-model/object-samples.js'

// An event writes rows of its own stream alone. So it takes no longer with more holders, and no turn of the event loop
// is long.

const ORGANIZATIONS = 200
const USERS = 10
const ROLES = ['reader', 'writer']

const handle = new DatabaseSync(':memory:')
const { readModel, close } = openSqlite(handle)
const log = newLog()

beforeAll(async () => {
  log.record('acme', projectAdded('portal'))
  for (const role of ROLES) log.record('acme', roleAdded('portal', role, { permissions: [role] }))
  log.record('acme', idpAdded('google'))
  const staff = { idpId: 'google', group: 'staff', projectId: 'portal', projectOrgId: 'acme' }
  log.record('acme', mappingAdded(staff, ROLES))
  for (let org = 0; org < ORGANIZATIONS; org++) {
    log.record('acme', projectGrantAdded('portal', `org-${org}`, ROLES))
    for (let user = 0; user < USERS; user++) {
      const ids = { userId: `user-${user}`, projectId: 'portal', projectOrgId: 'acme' }
      log.record(`org-${org}`, userGrantAdded(ids, ROLES))
      log.record('acme', reported('google', `user-${org}-${user}`, ['staff']))
    }
  }
  await readModel.apply(0n, log.events)
})

afterAll(async () => {
  await close()
  handle.close()
})

const rowsWritten = (): number => Number(handle.prepare('SELECT total_changes() AS n').get()?.['n'])

/** How many roles count in the project. */
const countedRoles = async (): Promise<number> => {
  const at = log.events.at(-1)?.position ?? 0n
  const query = { orgId: 'acme', projectId: 'portal', at, ...NOW }
  return (await readModel.affected(query)).count
}

const ALL = 2 * 2 * ORGANIZATIONS * USERS

/** Events in this order, and the number of roles that count after each. */
const EVENTS: readonly (readonly [event: AnyEvent, counted: number])[] = [
  [projectDeactivated('portal'), 0],
  [projectReactivated('portal'), ALL],
  [projectGrantDeactivated('portal', 'org-0'), ALL - 2 * USERS],
  [projectGrantReactivated('portal', 'org-0'), ALL],
  [projectGrantUpdated('portal', 'org-0', ['reader']), ALL - USERS],
  [projectGrantRemoved('portal', 'org-0'), ALL - 2 * USERS],
  [idpDeactivated('google'), ALL / 2 - 2 * USERS],
  [idpRemoved('google'), ALL / 2 - 2 * USERS],
  [roleRemoved('portal', 'writer'), ALL / 4 - USERS],
  [projectRemoved('portal'), 0],
]

test('An event writes rows of its own stream alone, however many have roles by it.', async () => {
  expect(await countedRoles()).toBe(ALL)
  for (const [event, counted] of EVENTS) {
    const from = log.events.at(-1)?.position ?? 0n
    log.record('acme', event)
    const before = rowsWritten()
    expect(await readModel.apply(from, log.above(from))).toBe(true)
    // The checkpoint, the object, its fact, what changed, and the permission of a role or the roles of a grant.
    expect(rowsWritten() - before, event.type).toBeLessThanOrEqual(7)
    expect(await countedRoles(), event.type).toBe(counted)
  }
})
