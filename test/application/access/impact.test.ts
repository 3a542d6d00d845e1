import { beforeEach, describe, expect, it, test } from 'vitest'
import {
  type DesiredAccess,
  type EventStore,
  formatPlan,
  type Impact,
  memoryEventStore,
  type PermissionQuestion,
  toJson,
} from '../../../src/index.js'
import { context, good, type Iam, iamOn, inGlobex, oidc, refusal } from '../host.js'

const dry = { ...context, dryRun: true } as const
const dryInGlobex = { ...inGlobex, dryRun: true } as const
const portal = { projectId: 'portal' }
const editor = { ...portal, roleKey: 'editor' }
const viewer = { ...portal, roleKey: 'viewer' }
const forGlobex = { ...portal, grantedOrgId: 'globex' }
const ofAcme = { ...portal, projectOrgId: 'acme' }

const nobody = { count: 0, first: [] }
const role = (roleKey: string, userId: string, orgId = 'acme') => ({ orgId, userId, roleKey })
const losing = (...first: Impact['loses']['first']): Impact => ({
  loses: { count: first.length, first },
  gains: nobody,
})
const gaining = (...first: Impact['loses']['first']): Impact => ({
  loses: nobody,
  gains: { count: first.length, first },
})
const rolesOf = (...roleKeys: readonly string[]) => roleKeys.map((roleKey) => ({ roleKey }))

let store: EventStore
let iam: Iam

/** Of acme's portal ann is editor and viewer, bob is viewer; of globex gina is editor. */
beforeEach(async () => {
  store = memoryEventStore()
  iam = iamOn(store)
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...editor, displayName: 'Editor' }, context))
  await good(iam.projectRoles.add({ ...viewer, displayName: 'Viewer' }, context))
  await good(iam.projectGrants.add({ ...forGlobex, roleKeys: ['editor', 'viewer'] }, context))
  const ann = { ...portal, userId: 'ann', roles: rolesOf('editor', 'viewer') }
  await good(iam.userGrants.add(ann, context))
  await good(iam.userGrants.add({ ...portal, userId: 'bob', roles: rolesOf('viewer') }, context))
  const gina = { ...ofAcme, userId: 'gina', roles: rolesOf('editor') }
  await good(iam.userGrants.add(gina, inGlobex))
})

describe('The impact of a dry run', () => {
  it('names who loses a role that is removed, in all organizations', async () => {
    const { impact } = await good(iam.projectRoles.remove(editor, dry))
    expect(impact).toEqual(losing(role('editor', 'ann'), role('editor', 'gina', 'globex')))
  })

  it('is of a project that is deactivated, and reactivated', async () => {
    const all = [
      role('editor', 'ann'),
      role('editor', 'gina', 'globex'),
      role('viewer', 'ann'),
      role('viewer', 'bob'),
    ]
    const deactivated = await good(iam.projects.deactivate({ id: 'portal' }, dry))
    expect(deactivated.impact).toEqual(losing(...all))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    const again = await good(iam.projects.deactivate({ id: 'portal' }, dry))
    expect(again).toMatchObject({ changed: false, impact: losing() })
    expect((await good(iam.projects.remove({ id: 'portal' }, dry))).impact).toEqual(losing())
    const reactivated = await good(iam.projects.reactivate({ id: 'portal' }, dry))
    expect(reactivated.impact).toEqual(gaining(...all))
  })

  it('is of the users of an organization whose grant changes', async () => {
    const smaller = { ...forGlobex, roleKeys: ['viewer'] }
    const gina = role('editor', 'gina', 'globex')
    expect((await good(iam.projectGrants.update(smaller, dry))).impact).toEqual(losing(gina))
    expect((await good(iam.projectGrants.remove(forGlobex, dry))).impact).toEqual(losing(gina))
    await good(iam.projectGrants.deactivate(forGlobex, context))
    expect((await good(iam.projectGrants.update(smaller, dry))).impact).toEqual(losing())
    const back = await good(iam.projectGrants.reactivate(forGlobex, dry))
    expect(back.impact).toEqual(gaining(gina))
  })

  it('is of the one user whose grant changes', async () => {
    const other = { ...ofAcme, userId: 'gina', roles: rolesOf('viewer') }
    expect((await good(iam.userGrants.update(other, dryInGlobex))).impact).toEqual({
      loses: { count: 1, first: [role('editor', 'gina', 'globex')] },
      gains: { count: 1, first: [role('viewer', 'gina', 'globex')] },
    })
    await good(iam.projectGrants.deactivate(forGlobex, context))
    const unseen = await good(iam.userGrants.update(other, dryInGlobex))
    expect(unseen).toMatchObject({ changed: true, impact: losing() })
  })

  it('counts a role from the time that is its end no more', async () => {
    let now = new Date('2030-01-01T00:00:00.000Z')
    const timed = iamOn(store, { now: () => now })
    const until = (expiresAt: string) => ({
      ...portal,
      userId: 'bob',
      roles: [{ roleKey: 'viewer', expiresAt: new Date(expiresAt) }],
    })
    const first = until('2030-01-02T00:00:00.000Z')
    expect((await good(timed.userGrants.update(first, dry))).impact).toEqual(losing())
    await good(timed.userGrants.update(first, context))
    now = new Date('2030-01-02T00:00:00.000Z')
    expect((await good(timed.projectRoles.remove(viewer, dry))).impact).toEqual(
      losing(role('viewer', 'ann')),
    )
    const later = until('2030-02-01T00:00:00.000Z')
    expect((await good(timed.userGrants.update(later, dry))).impact).toEqual(
      gaining(role('viewer', 'bob')),
    )
  })

  it('names twenty roles at most, and counts all', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `user-${String(index).padStart(2, '0')}`)
    for (const userId of ids)
      await good(iam.userGrants.add({ ...portal, userId, roles: rolesOf('editor') }, context))
    const { impact } = await good(iam.projectRoles.remove(editor, dry))
    expect(impact?.loses.count).toBe(27)
    expect(impact?.loses.first).toEqual(
      ['ann', ...ids.slice(0, 19)].map((userId) => role('editor', userId)),
    )
  })

  it('counts all mappings of a group', async () => {
    await good(iam.identityProviders.addOidc(oidc, context))
    const { idpId } = oidc
    const count = 1_001
    for (let n = 0; n < count; n++) {
      const projectId = `p${n}`
      await good(iam.projects.add({ id: projectId, name: 'Mapped' }, context))
      await good(iam.projectRoles.add({ ...viewer, projectId, displayName: 'Viewer' }, context))
      const mapping = { idpId, projectId, group: 'staff', roleKeys: ['viewer'] }
      await good(iam.roleMappings.add(mapping, context))
    }
    const report = { idpId, userId: 'ann', groups: ['staff'] }
    const { impact } = await good(iam.memberships.report(report, dry))
    expect(impact).toMatchObject({ loses: nobody, gains: { count } })
  })

  it('is absent of a write that can begin and end nobody’s role', async () => {
    const planned = [
      iam.projects.patch({ id: 'portal', name: 'Other' }, dry),
      iam.projects.add({ name: 'New' }, dry),
      iam.projectRoles.add({ ...portal, roleKey: 'author', displayName: 'Author' }, dry),
      iam.projectRoles.patch({ ...editor, displayName: 'Other' }, dry),
    ]
    for (const each of planned) expect(await good(each)).not.toHaveProperty('impact')
  })

  it('is absent of what is written', async () => {
    expect(await good(iam.projectRoles.remove(editor, context))).not.toHaveProperty('impact')
  })
})

describe('A caller who may not see who has a role', () => {
  const asked: PermissionQuestion[] = []
  let blind: Iam

  beforeEach(() => {
    asked.length = 0
    blind = iamOn(store, {
      authorize: (question) => {
        asked.push(question)
        return question.permission !== 'user.grant.read'
      },
    })
  })

  it('gets no impact, not even a number', async () => {
    for (const planned of [
      await good(blind.projectRoles.remove(editor, dry)),
      await good(blind.projects.deactivate({ id: 'portal' }, dry)),
      await good(blind.userGrants.remove({ ...portal, userId: 'ann' }, dry)),
    ]) {
      expect(planned.changed).toBe(true)
      expect(planned).not.toHaveProperty('impact')
    }
  })

  it('is checked on the project of the change', async () => {
    const questions = async (write: Promise<unknown>) => {
      await write
      return asked
        .splice(0)
        .flatMap(({ permission, object }) => (permission === 'user.grant.read' ? [object] : []))
    }
    const project = { type: 'project', id: 'portal' }
    const granted = { type: 'granted_project', id: 'portal', orgId: 'acme' }
    expect(await questions(good(blind.projectRoles.remove(editor, dry)))).toEqual([project])
    const gina = { ...ofAcme, userId: 'gina' }
    expect(await questions(good(blind.userGrants.remove(gina, dryInGlobex)))).toEqual([granted])
    expect(await questions(good(blind.projectRoles.remove(editor, context)))).toEqual([])
  })

  it('gets no impact in a plan', async () => {
    const { changes } = await good(blind.plan(WITHOUT_EDITOR, context))
    expect(changes.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'update'])
    for (const change of changes) expect(change).not.toHaveProperty('impact')
  })
})

const WITHOUT_EDITOR: DesiredAccess = {
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: [{ roleKey: 'viewer', displayName: 'Viewer' }],
      grants: [{ grantedOrgId: 'globex', roleKeys: ['viewer'] }],
    },
  ],
}

/** The library on a store in which `write` happens once, when the `nth` answer about its last position is given. */
const interrupted = (nth: number, write: () => Promise<unknown>): Iam => {
  let asked = 0
  return iamOn({
    ...store,
    lastPosition: async () => {
      const position = await store.lastPosition()
      if (++asked === nth) await write()
      return position
    },
  })
}

describe('While another process writes, a dry run', () => {
  test.each([
    [
      'gives a role',
      () =>
        good(
          iam.userGrants.addRoles({ ...portal, userId: 'bob', roles: rolesOf('editor') }, context),
        ),
    ],
    ['takes a role', () => good(iam.userGrants.remove({ ...portal, userId: 'ann' }, context))],
    ['deactivates the project', () => good(iam.projects.deactivate({ id: 'portal' }, context))],
    ['removes the grant of the project', () => good(iam.projectGrants.remove(forGlobex, context))],
    ['removes the role', () => good(iam.projectRoles.remove(editor, context))],
  ])('counts on the state that it is decided on, when the other one %s', async (_, write) => {
    const { impact } = await good(interrupted(1, write).projectRoles.remove(editor, dry))
    expect(impact).toEqual(losing(role('editor', 'ann'), role('editor', 'gina', 'globex')))
  })

  it('counts what it decides on for a user, too', async () => {
    const other = interrupted(1, () => good(iam.projects.deactivate({ id: 'portal' }, context)))
    const planned = await good(other.userGrants.remove({ ...portal, userId: 'bob' }, dry))
    expect(planned.impact).toEqual(losing(role('viewer', 'bob')))
  })

  it('is refused by what was recorded before it began alone', async () => {
    await good(iam.projectRoles.remove(editor, context))
    expect(
      (await refusal(interrupted(9, async () => {}).projectRoles.remove(editor, dry))).kind,
    ).toBe('NotFound')
  })
})

describe('The impact of a plan', () => {
  const managed = (...roleKeys: readonly string[]): DesiredAccess => ({
    managedBy: 'test',
    prune: true,
    projects: [
      {
        id: 'portal',
        name: 'Portal',
        roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
        grants: [{ grantedOrgId: 'globex', roleKeys }],
      },
    ],
  })
  const impactsIn = (changes: readonly { readonly impact?: Impact | undefined }[]) =>
    changes.map(({ impact }) => impact)

  const giveGina = (...roleKeys: readonly string[]) =>
    good(
      iam.userGrants.update({ ...ofAcme, userId: 'gina', roles: rolesOf(...roleKeys) }, inGlobex),
    )

  /** All is declared, so that `prune` removes what no longer is. */
  beforeEach(async () => {
    await good(iam.projectGrants.remove(forGlobex, context))
    await good(iam.apply(managed('editor', 'viewer'), context))
    await giveGina('editor')
  })

  it('counts a role once: where its removal ends it, and not again where a grant loses it', async () => {
    const { changes } = await good(iam.plan(managed('viewer'), context))
    expect(changes.map(({ action, object }) => `${action} ${object.type}`)).toEqual([
      'unchanged project',
      'unchanged project_role',
      'remove project_role',
      'unchanged project_grant',
    ])
    expect(impactsIn(changes)).toEqual([
      undefined,
      undefined,
      losing(role('editor', 'ann'), role('editor', 'gina', 'globex')),
      undefined,
    ])
  })

  it('is shown in its text, by role', async () => {
    const gerd = { ...ofAcme, userId: 'gerd', roles: rolesOf('editor', 'viewer') }
    await good(iam.userGrants.add(gerd, inGlobex))
    const removed = formatPlan(await good(iam.plan(managed('viewer'), context)))
    expect(removed).toContain('- role portal "editor"\n')
    expect(removed).toContain('\n    3 users lose editor\n')
    const { projects: [portal] = [], ...rest } = managed('editor', 'viewer')
    if (!portal) throw new Error('There is one')
    const ungranted = formatPlan(
      await good(iam.plan({ ...rest, projects: [{ ...portal, grants: [] }] }, context)),
    )
    expect(ungranted).toContain('\n    2 users lose editor\n    1 user loses viewer\n')
  })

  it('is not compared when the plan is applied', async () => {
    const planned = await good(iam.plan(managed('viewer'), context))
    expect(toJson(planned).changes[2]?.impact).toEqual(planned.changes[2]?.impact)
    await good(iam.userGrants.remove({ ...portal, userId: 'ann' }, context))
    const stored = JSON.parse(JSON.stringify(toJson(planned)))
    const applied = await good(iam.apply(stored, context))
    expect(applied.counts.remove).toBe(1)
    expect(impactsIn(applied.changes)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('is of the state that was planned on, whatever changes meanwhile', async () => {
    const [declared] = managed('editor', 'viewer').projects ?? []
    if (!declared) throw new Error('There is one')
    const ungranted = { managedBy: 'test', prune: true, projects: [{ ...declared, grants: [] }] }
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      await good(
        iam.projectGrants.update({ ...forGlobex, roleKeys: ['editor', 'viewer'] }, context),
      )
      await giveGina('editor')
      const planned = await good(
        interrupted(nth, async () => {
          await good(iam.projectGrants.update({ ...forGlobex, roleKeys: ['viewer'] }, context))
          await giveGina('viewer')
        }).plan(ungranted, context),
      )
      const [removal] = planned.changes.filter(({ action }) => action === 'remove')
      const { sequence } = removal ?? {}
      const now = await good(iam.projectGrants.get(forGlobex, context))
      const lost = sequence === String(now.details.sequence) ? 'viewer' : 'editor'
      expect(removal?.impact, `after ${nth}`).toEqual(losing(role(lost, 'gina', 'globex')))
    }
  })

  it('is planned once, even if the project never stands still', async () => {
    const plan = (on: Iam) => good(on.plan(managed('viewer'), context))
    const { changes } = await plan(iam)
    let reads = 0
    const restless = iamOn({
      ...store,
      lastPosition: async () => {
        const position = await store.lastPosition()
        const name = `Portal ${++reads}`
        await good(iam.projects.patch({ id: 'portal', name }, context))
        return position
      },
    })
    const planned = await plan(restless)
    expect(impactsIn(planned.changes)).toEqual(impactsIn(changes))
  })
})
