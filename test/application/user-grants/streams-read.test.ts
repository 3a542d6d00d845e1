import { beforeEach, describe, expect, it } from 'vitest'
import type { EventStore } from '../../../src/index.js'
import {
  bob,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  rolesOf,
  type World,
} from '../access/grants-world.js'
import { context, good, type Iam, iamOn, withReads } from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const project = 'project-acme+portal'
const role = (roleKey: string) => `project_role-acme+portal+${roleKey}`
const grant = 'user_grant-acme+acme+portal+bob'

/** The streams that a process without memory reads for one call, in order of names. */
const readBy = async (call: (process: Iam) => Promise<unknown>): Promise<readonly string[]> => {
  const names: string[] = []
  const readStream: EventStore['readStream'] = (stream, after) => {
    names.push(stream)
    return world.store.readStream(stream, after)
  }
  await call(iamOn(withReads(world.store, readStream), { now: world.clock }))
  return names.toSorted()
}

describe('A change of the grant of a user', () => {
  it('that adds it does not read its stream', async () => {
    const add = (process: Iam) =>
      good(process.userGrants.add({ ...bob, roles: rolesOf('editor') }, context))
    expect(await readBy(add)).toEqual([project, role('editor')])
  })

  it('that gives or takes roles reads it once, and once each role', async () => {
    await giveBob(iam, 'viewer')
    const roles = rolesOf('editor')
    const streams = [project, role('editor'), role('viewer'), grant]
    expect(
      await readBy((process) => good(process.userGrants.addRoles({ ...bob, roles }, context))),
    ).toEqual(streams)
    expect(
      await readBy((process) =>
        good(process.userGrants.removeRoles({ ...bob, roleKeys: ['viewer'] }, context)),
      ),
    ).toEqual(streams)
  })

  it('that needs no roles reads none', async () => {
    await giveBob(iam, 'editor', 'viewer')
    for (const name of ['deactivate', 'reactivate', 'remove'] as const)
      expect(await readBy((process) => good(process.userGrants[name](bob, context))), name).toEqual(
        [project, grant],
      )
  })
})

describe('Reads that a process without memory does for one call come in', () => {
  /** The number of rounds: a round is what is read before any of it is there. */
  const roundsOf = async (call: (process: Iam) => Promise<unknown>): Promise<number> => {
    let [rounds, underWay] = [0, 0]
    const readStream: EventStore['readStream'] = async (stream, after) => {
      if (underWay++ === 0) rounds++
      // As a database would: no answer before all of a round was asked for.
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      return world.store.readStream(stream, after)
    }
    await call(iamOn(withReads(world.store, readStream), { now: world.clock }))
    return rounds
  }

  it('one round, for a new grant of roles of an own project', async () => {
    const add = (process: Iam) =>
      good(process.userGrants.add({ ...bob, roles: rolesOf('editor', 'viewer') }, context))
    expect(await roundsOf(add)).toBe(1)
  })

  it('one round, for a new grant of roles of the project of another organization', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    expect(await roundsOf((process) => giveGina(process, 'editor', 'viewer'))).toBe(1)
  })

  it('two rounds, for a change that depends on the roles that a grant has', async () => {
    await giveBob(iam, 'viewer')
    const add = (process: Iam) =>
      good(process.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    expect(await roundsOf(add)).toBe(2)
  })

  it('one round, for a new role, and for a project', async () => {
    const role = { projectId: 'portal', roleKey: 'new', displayName: 'New' }
    expect(await roundsOf((process) => good(process.projectRoles.add(role, context)))).toBe(1)
    const rename = { id: 'portal', name: 'renamed' }
    expect(await roundsOf((process) => good(process.projects.patch(rename, context)))).toBe(1)
  })
})

describe('The state of a grant at a time', () => {
  it('takes one read of each stream, beside that of the grant as it was recorded', async () => {
    await giveBob(iam, 'editor', 'viewer')
    const object = { type: 'user_grant', ...bob } as const
    const sequence = await world.store.lastPosition()
    expect(
      await readBy((process) => good(process.history.stateAt({ object, sequence }, context))),
    ).toEqual([project, role('editor'), role('viewer'), grant, grant])
  })
})
