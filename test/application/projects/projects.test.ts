import { beforeEach, describe, expect, it } from 'vitest'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addSamples,
  clockedStore,
  context,
  detailsAt,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  positionAt,
  refusal,
  startOfTime,
} from '../host.js'

let world: ReturnType<typeof clockedStore>
let iam: Iam

beforeEach(() => {
  world = clockedStore()
  iam = iamOn(world.store)
})

const ref = { id: 'portal' }
const object = { type: 'project', id: 'portal' }

const settings = {
  name: 'Portal',
  projectRoleAssertion: false,
  projectRoleCheck: false,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
}

const others = {
  name: 'Other',
  projectRoleAssertion: true,
  projectRoleCheck: true,
  hasProjectCheck: true,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

const later = (): Date => {
  world.clock.advance(60_000)
  return world.clock()
}

const add = () => good(iam.projects.add({ ...ref, name: 'Portal' }, context))

describe('projects.add', () => {
  it('answers with id, details and the event', async () => {
    const added = await add()
    expect(added).toEqual({
      details: detailsAt(startOfTime, startOfTime, positionAt(startOfTime)),
      changed: true,
      events: await logOf(world.store),
      projectId: 'portal',
    })
    expect(added.events).toMatchObject([
      {
        type: 'project.added',
        schemaVersion: 1,
        stream: 'project-acme+portal',
        version: 1,
        data: { ...ref, ...settings },
        metadata: { actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' },
      },
    ])
    expect(await good(iam.projects.get(ref, context))).toEqual({
      ...ref,
      ...settings,
      state: 'active',
      details: added.details,
    })
  })

  it('draws an id when none is given', async () => {
    const { projectId } = await good(iam.projects.add({ name: 'n' }, context))
    expect(projectId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    await good(iam.projects.get({ id: projectId }, context))
  })

  it('refuses an id that is or was used', async () => {
    await add()
    const again = { ...ref, name: 'again' }
    const taken = { kind: 'AlreadyExists', object }
    expect(await refusal(iam.projects.add(again, context))).toEqual(taken)
    await good(iam.projects.remove(ref, context))
    expect(await refusal(iam.projects.add(again, context))).toEqual(taken)
    await good(iam.projects.add(again, inGlobex))
  })

  it('records an actor of another organization in the organization of the context', async () => {
    const added = await good(iam.projects.add({ ...ref, name: 'n' }, inGlobex))
    expect(added.details.resourceOwner).toBe('globex')
    expect(added.events).toMatchObject([
      {
        stream: 'project-globex+portal',
        metadata: { actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'globex' },
      },
    ])
  })
})

describe('projects.update', () => {
  it('replaces everything, with defaults for what is absent', async () => {
    await add()
    const changed = later()
    const updated = await good(iam.projects.update({ ...ref, ...others }, context))
    expect(updated).toEqual({
      details: detailsAt(startOfTime, changed, positionAt(changed)),
      changed: true,
      events: (await logOf(world.store)).slice(1),
      projectId: 'portal',
    })
    expect(updated.events).toMatchObject([{ type: 'project.updated', data: { ...ref, ...others } }])
    await good(iam.projects.update({ ...ref, name: 'Portal' } as never, context))
    expect(await good(iam.projects.get(ref, context))).toMatchObject(settings)
  })

  it('changes nothing with what is there already', async () => {
    const { details } = await add()
    later()
    const kept = await good(
      iam.projects.update({ ...PROJECT_DEFAULTS, ...ref, name: 'Portal' }, context),
    )
    expect(kept).toEqual({ details, changed: false, events: [], projectId: 'portal' })
    expect(await logOf(world.store)).toHaveLength(1)
  })
})

describe('The state of a project', () => {
  it('changes once, and then stays', async () => {
    const { details } = await add()
    expect(await good(iam.projects.reactivate(ref, context))).toMatchObject({
      changed: false,
      details,
    })
    const changed = later()
    const off = await good(iam.projects.deactivate(ref, context))
    expect(off).toMatchObject({
      changed: true,
      events: [{ type: 'project.deactivated', data: ref }],
      details: detailsAt(startOfTime, changed, positionAt(changed)),
    })
    later()
    const again = await good(iam.projects.deactivate(ref, context))
    expect(again).toEqual({ ...off, changed: false, events: [] })
    expect(await good(iam.projects.reactivate(ref, context))).toMatchObject({
      changed: true,
      events: [{ type: 'project.reactivated', data: ref }],
    })
  })

  it('does not prevent changes while inactive', async () => {
    await addSamples(iam)
    await good(iam.projects.deactivate(ref, context))
    await good(
      iam.projects.update({ ...PROJECT_DEFAULTS, ...ref, name: 'while inactive' }, context),
    )
    const role = { projectId: 'portal', roleKey: 'late', displayName: 'Late' }
    await good(iam.projectRoles.add(role, context))
    await good(iam.projectRoles.update({ group: '', ...role, displayName: 'Later' }, context))
    await good(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'late' }, context))
    expect(await good(iam.projects.get(ref, context))).toMatchObject({
      state: 'inactive',
      name: 'while inactive',
    })
    await good(iam.projects.remove(ref, context))
  })
})

describe('A project that does not exist', () => {
  it.each(['never was', 'was removed', 'is of another organization'])(
    'is not found by any method: it %s',
    async (why) => {
      if (why === 'was removed') {
        await add()
        const changed = later()
        expect(await good(iam.projects.remove(ref, context))).toMatchObject({
          changed: true,
          details: detailsAt(startOfTime, changed, positionAt(changed)),
          events: [{ type: 'project.removed', data: ref }],
          projectId: 'portal',
        })
      }
      if (why === 'is of another organization') await addSamples(iam, inGlobex)
      const before = await logOf(world.store)
      const role = { projectId: 'portal', roleKey: 'editor' }
      const calls = [
        iam.projects.update({ ...PROJECT_DEFAULTS, ...ref, name: 'n' }, context),
        iam.projects.deactivate(ref, context),
        iam.projects.reactivate(ref, context),
        iam.projects.remove(ref, context),
        iam.projects.get(ref, context),
        iam.projects.checkLogin({ ...ref, userOrgId: 'acme' }, context),
        iam.projectRoles.list({ projectId: 'portal' }, context),
        iam.projectRoles.add({ ...role, displayName: 'd' }, context),
        iam.projectRoles.addMany(
          { projectId: 'portal', roles: [{ roleKey: 'editor', displayName: 'd' }] },
          context,
        ),
        iam.projectRoles.update({ group: '', ...role, displayName: 'd' }, context),
        iam.projectRoles.remove(role, context),
      ]
      for (const call of calls) expect(await refusal(call)).toEqual({ kind: 'NotFound', object })
      expect(await good(iam.projects.list({}, context))).toMatchObject({ items: [], totalSize: 0 })
      expect(await logOf(world.store)).toEqual(before)
    },
  )

  it('ends its roles at once, even those that were read before', async () => {
    await addSamples(iam)
    const other = iamOn(world.store)
    const role = { projectId: 'portal', roleKey: 'editor' }
    await good(other.projectRoles.get(role, context))
    await good(other.projectRoles.update({ group: '', ...role, displayName: 'E' }, context))
    await good(iam.projects.remove(ref, context))
    expect(await refusal(other.projectRoles.get(role, context))).toEqual({
      kind: 'NotFound',
      object: { type: 'project_role', ...role },
    })
    const noProject = { kind: 'NotFound', object }
    expect(await refusal(other.projectRoles.list({ projectId: 'portal' }, context))).toEqual(
      noProject,
    )
    const update = { ...role, displayName: 'F', group: '' }
    expect(await refusal(other.projectRoles.update(update, context))).toEqual(noProject)
    expect(await refusal(other.projectRoles.remove(role, context))).toEqual(noProject)
    expect(await refusal(other.projectRoles.add(update, context))).toEqual(noProject)
  })
})
