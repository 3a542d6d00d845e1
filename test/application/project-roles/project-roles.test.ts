import { beforeEach, describe, expect, it } from 'vitest'
import type { TextFilter } from '../../../src/index.js'
import {
  badFields,
  clockedStore,
  context,
  detailsAt,
  good,
  type Iam,
  iamOn,
  logOf,
  positionAt,
  refusal,
} from '../host.js'

let world: ReturnType<typeof clockedStore>
let iam: Iam

beforeEach(async () => {
  world = clockedStore()
  iam = iamOn(world.store)
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
})

const ref = { projectId: 'portal', roleKey: 'editor' }
const shown = { displayName: 'Editor', group: 'content', permissions: ['article.edit'] }
const object = { type: 'project_role', ...ref }

const later = (): Date => {
  world.clock.advance(60_000)
  return world.clock()
}

const add = () => good(iam.projectRoles.add({ ...ref, ...shown }, context))

describe('projectRoles.add', () => {
  it('answers with ids, details and the event', async () => {
    const created = later()
    const added = await add()
    expect(added).toEqual({
      details: detailsAt(created, created, positionAt(created)),
      changed: true,
      events: (await logOf(world.store)).slice(1),
      ...ref,
    })
    expect(added.events).toMatchObject([
      {
        type: 'project_role.added',
        stream: 'project_role-acme+portal+editor',
        version: 1,
        data: { ...ref, ...shown },
      },
    ])
    expect(await good(iam.projectRoles.get(ref, context))).toEqual({
      ...ref,
      ...shown,
      state: 'active',
      details: added.details,
    })
  })

  it('refuses a key that the project has, and takes it in another project', async () => {
    await add()
    const again = { ...ref, displayName: 'again' }
    expect(await refusal(iam.projectRoles.add(again, context))).toEqual({
      kind: 'AlreadyExists',
      object,
    })
    await good(iam.projects.add({ id: 'other', name: 'Other' }, context))
    await good(iam.projectRoles.add({ ...again, projectId: 'other' }, context))
  })

  it.each(['Editor', 'editor ', ' editor', 'éditor', 'e\u0301ditor', 'a/b+c', '😀'.repeat(200)])(
    'takes the key %j for another one than editor',
    async (roleKey) => {
      await add()
      const added = await good(iam.projectRoles.add({ ...ref, roleKey, displayName: 'd' }, context))
      expect(added.roleKey).toBe(roleKey)
      const found = await good(iam.projectRoles.get({ ...ref, roleKey }, context))
      expect(found).toMatchObject({ roleKey, group: '' })
    },
  )

  it('adds a removed key as a new object', async () => {
    await add()
    await good(iam.projectRoles.remove(ref, context))
    const created = later()
    const again = await good(iam.projectRoles.add({ ...ref, displayName: 'again' }, context))
    expect(again.details).toEqual(detailsAt(created, created, positionAt(created)))
    expect(again.events).toMatchObject([{ version: 3 }])
    expect(await good(iam.projectRoles.get(ref, context))).toMatchObject({
      displayName: 'again',
      group: '',
      details: again.details,
    })
    // Another process, which folds the stream from its beginning, agrees.
    const changed = later()
    const updated = await good(
      iamOn(world.store).projectRoles.update({ group: '', ...ref, displayName: 'other' }, context),
    )
    expect(updated.details).toEqual(detailsAt(created, changed, positionAt(changed)))
  })
})

describe('projectRoles.update', () => {
  it('replaces all fields, an absent group with an empty one, absent permissions with none', async () => {
    const created = later()
    await add()
    const changed = later()
    const updated = await good(
      iam.projectRoles.update({ ...ref, displayName: 'Chief editor' } as never, context),
    )
    expect(updated).toEqual({
      details: detailsAt(created, changed, positionAt(changed)),
      changed: true,
      events: [
        expect.objectContaining({
          type: 'project_role.updated',
          data: { ...ref, displayName: 'Chief editor', group: '', permissions: [] },
        }),
      ],
      ...ref,
    })
    expect(await good(iam.projectRoles.get(ref, context))).toMatchObject({
      displayName: 'Chief editor',
      group: '',
      permissions: [],
    })
  })

  it('changes nothing with what is there already', async () => {
    const { details } = await add()
    later()
    expect(await good(iam.projectRoles.update({ ...ref, ...shown }, context))).toEqual({
      details,
      changed: false,
      events: [],
      ...ref,
    })
  })
})

describe('The permissions of a role', () => {
  const permissions = ['b:all', 'a/b', 'A']

  it('are recorded, shown, listed and in history in the order of code points', async () => {
    const sorted = ['A', 'a/b', 'b:all']
    const { events } = await good(
      iam.projectRoles.add({ ...ref, displayName: 'Editor', permissions }, context),
    )
    expect(events).toMatchObject([{ schemaVersion: 2, data: { permissions: sorted } }])
    const { items } = await good(iam.projectRoles.list({ projectId: 'portal' }, context))
    expect(items).toMatchObject([{ permissions: sorted }])
    await good(iam.projectRoles.patch({ ...ref, permissions: ['c'] }, context))
    await good(iam.projectRoles.patch({ ...ref, permissions: [] }, context))
    const history = await good(
      iam.history.list({ object: { type: 'project_role', ...ref } }, context),
    )
    const changes = history.items.map((item) =>
      item.changes.filter(({ field }) => field === 'permissions'),
    )
    expect(changes).toEqual([
      [{ field: 'permissions', from: undefined, to: sorted }],
      [{ field: 'permissions', from: sorted, to: ['c'] }],
      [{ field: 'permissions', from: ['c'], to: [] }],
    ])
  })

  it('find the roles that have one now', async () => {
    await good(iam.projectRoles.add({ ...ref, displayName: 'Editor', permissions }, context))
    const reader = { ...ref, roleKey: 'reader', displayName: 'Reader', permissions: ['c'] }
    await good(iam.projectRoles.add(reader, context))
    const keys = async (permission: TextFilter) => {
      const input = { projectId: 'portal', filter: { permission } }
      const { items, totalSize } = await good(iam.projectRoles.list(input, context))
      return [items.map(({ roleKey }) => roleKey), totalSize]
    }
    expect(await keys({ equals: 'a/b' })).toEqual([['editor'], 1])
    expect(await keys({ startsWith: 'B', ignoreCase: true })).toEqual([['editor'], 1])
    await good(iam.projectRoles.patch({ ...ref, permissions: ['c'] }, context))
    expect(await keys({ equals: 'a/b' })).toEqual([[], 0])
    expect(await keys({ equals: 'c' })).toEqual([['editor', 'reader'], 2])
  })

  it('are not in the history of a role that is added without any', async () => {
    await good(iam.projectRoles.add({ ...ref, displayName: 'Editor' }, context))
    const history = await good(
      iam.history.list({ object: { type: 'project_role', ...ref } }, context),
    )
    expect(history.items[0]?.changes.map(({ field }) => field)).toEqual([
      'displayName',
      'group',
      'state',
    ])
  })

  it('stay as they are by a patch without them, and change nothing in another order', async () => {
    await good(iam.projectRoles.add({ ...ref, ...shown, permissions }, context))
    const patch = (change: object) => good(iam.projectRoles.patch({ ...ref, ...change }, context))
    expect(await patch({ permissions: permissions.toReversed() })).toMatchObject({ changed: false })
    expect(await patch({ group: 'other' })).toMatchObject({
      events: [{ data: { permissions: ['A', 'a/b', 'b:all'] } }],
    })
  })

  it('are the same command empty and absent, under an idempotency key', async () => {
    const once = { ...context, idempotencyKey: 'add the editor' }
    const added = await good(iam.projectRoles.add({ ...ref, displayName: 'Editor' }, once))
    const again = { ...ref, displayName: 'Editor', permissions: [] }
    expect(await good(iam.projectRoles.add(again, once))).toEqual(added)
    const other = { ...again, permissions: ['a'] }
    expect(await refusal(iam.projectRoles.add(other, once))).toMatchObject({
      kind: 'IdempotencyKeyReused',
    })
  })

  it('are checked, by field', async () => {
    const twice = { ...ref, displayName: 'Editor', permissions: ['a', 'b', 'a'] }
    expect(await badFields(iam.projectRoles.add(twice, context))).toEqual(['permissions[2]'])
    expect(await badFields(iam.projectRoles.update({ group: '', ...twice }, context))).toEqual([
      'permissions[2]',
    ])
    expect(await badFields(iam.projectRoles.patch(twice, context))).toEqual(['permissions[2]'])
    const roles = [{ roleKey: 'a', displayName: 'A', permissions: ['good', '*'] }]
    expect(
      await badFields(iam.projectRoles.addMany({ projectId: 'portal', roles }, context)),
    ).toEqual(['roles[0].permissions[1]'])
    const many = Array.from({ length: 201 }, (_, index) => `p${index}`)
    expect(await badFields(iam.projectRoles.add({ ...twice, permissions: many }, context))).toEqual(
      ['permissions'],
    )
  })
})

describe('A role that does not exist', () => {
  it.each(['never was', 'was removed'])('is not found: it %s', async (why) => {
    if (why === 'was removed') {
      await add()
      expect(await good(iam.projectRoles.remove(ref, context))).toMatchObject({
        changed: true,
        events: [{ type: 'project_role.removed', data: ref }],
        ...ref,
      })
    }
    const before = await logOf(world.store)
    const calls = [
      iam.projectRoles.update({ ...ref, ...shown }, context),
      iam.projectRoles.remove(ref, context),
      iam.projectRoles.get(ref, context),
    ]
    for (const call of calls) expect(await refusal(call)).toEqual({ kind: 'NotFound', object })
    expect(await good(iam.projectRoles.list({ projectId: 'portal' }, context))).toMatchObject({
      items: [],
      totalSize: 0,
    })
    expect(await logOf(world.store)).toEqual(before)
  })
})

describe('projectRoles.addMany', () => {
  const roles = ['a', 'b', 'c'].map((roleKey) => ({ roleKey, displayName: roleKey }))
  const many = { projectId: 'portal', roles }

  it('adds all in one append, and answers with the details of the last', async () => {
    const created = later()
    const added = await good(iam.projectRoles.addMany(many, context))
    expect(added).toEqual({
      details: detailsAt(created, created, positionAt(created) + 2n),
      changed: true,
      events: (await logOf(world.store)).slice(1),
      projectId: 'portal',
      roleKeys: ['a', 'b', 'c'],
    })
    expect(added.events.map(({ data }) => data)).toEqual(
      roles.map((role) => ({ projectId: 'portal', ...role, group: '', permissions: [] })),
    )
    expect(new Set(added.events.map(({ appendId }) => appendId)).size).toBe(1)
  })

  it.each(['a', 'b', 'c'])('adds none when the project has %s', async (roleKey) => {
    await good(iam.projectRoles.add({ ...ref, roleKey, displayName: 'd' }, context))
    const before = await logOf(world.store)
    expect(await refusal(iam.projectRoles.addMany(many, context))).toEqual({
      kind: 'AlreadyExists',
      object: { type: 'project_role', projectId: 'portal', roleKey },
    })
    expect(await refusal(iamOn(world.store).projectRoles.addMany(many, context))).toMatchObject({
      kind: 'AlreadyExists',
    })
    expect(await logOf(world.store)).toEqual(before)
  })

  it('adds keys that were removed as new objects', async () => {
    await good(iam.projectRoles.addMany(many, context))
    await good(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'c' }, context))
    const created = later()
    const again = { projectId: 'portal', roles: [{ roleKey: 'c', displayName: 'again' }] }
    const { details } = await good(iam.projectRoles.addMany(again, context))
    expect(details).toEqual(detailsAt(created, created, positionAt(created)))
  })

  it('takes a thousand roles with the longest texts', async () => {
    const text = '\u0001'.repeat(196)
    const longest = Array.from({ length: 1000 }, (_, n) => {
      const roleKey = text + String(n).padStart(4, '0')
      return { roleKey, displayName: roleKey, group: roleKey }
    })
    const id = 'p'.repeat(64)
    await good(iam.projects.add({ id, name: 'n' }, context))
    const added = await good(iam.projectRoles.addMany({ projectId: id, roles: longest }, context))
    expect(added.events).toHaveLength(1000)
  })
})
