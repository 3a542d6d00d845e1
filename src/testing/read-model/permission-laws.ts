import type { Holder, HoldersQuery } from '../../ports/access-reads.js'
import type { Condition, ReadModel } from '../../ports/read-model.js'
import { demandEqual, lawsOf } from '../law.js'
import { BEFORE_END, grantOf, userGrantAdded, userGrantUpdated } from './grant-samples.js'
import { fedWith, logOf, newLog, type ReadModelHome, type Recorded } from './harness.js'
import {
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import { ROLES } from './samples.js'

/** The holders of roles of `acme`'s `portal` with the permission `read`, and with `write`. */
type Holders = readonly [read: readonly string[], write: readonly string[]]

const NOBODY: Holders = [[], []]
const ANN: Holders = [['reader acme/ann', 'writer acme/ann'], ['writer acme/ann']]
const BOTH: Holders = [['reader acme/ann', 'reader acme/bob', 'writer acme/ann'], ANN[1]]
const READERS = ['reader acme/ann', 'reader acme/bob']
const SWAPPED: Holders = [['writer acme/ann'], [...READERS, 'writer acme/ann']]

/** Every way in which a role gains and loses permissions, and the holders after it. */
const STORY: readonly (readonly [...Recorded, holders: Holders])[] = [
  ['acme', projectAdded('portal'), NOBODY],
  ['acme', roleAdded('portal', 'reader', { permissions: ['read'] }), NOBODY],
  ['acme', roleAdded('portal', 'writer', { permissions: ['read', 'write'] }), NOBODY],
  ['acme', roleAdded('portal', 'bare'), NOBODY],
  ['acme', userGrantAdded(grantOf('ann'), ['writer', 'reader', 'bare']), ANN],
  ['acme', userGrantAdded(grantOf('bob'), ['reader', 'bare']), BOTH],
  // The same names elsewhere.
  ['other', projectAdded('portal'), BOTH],
  ['other', roleAdded('portal', 'reader', { permissions: ['write'] }), BOTH],
  ['other', roleAdded('portal', 'bare', { permissions: ['read'] }), BOTH],
  ['other', userGrantAdded({ ...grantOf('ann'), projectOrgId: 'other' }, ['reader']), BOTH],
  // Another permission, one more, and the first one again.
  ['acme', roleUpdated('portal', 'reader', { permissions: ['write'] }), SWAPPED],
  ['acme', roleUpdated('portal', 'reader', { permissions: ['Z', 'a', 'write'] }), SWAPPED],
  [
    'acme',
    roleUpdated('portal', 'reader', { displayName: 'Reader', permissions: [] }),
    [SWAPPED[0], ANN[1]],
  ],
  ['acme', roleUpdated('portal', 'reader', { permissions: ['read'] }), BOTH],
  ['other', roleRemoved('portal', 'reader'), BOTH],
  // A role that is removed and added again has the permissions of the new one.
  ['acme', roleRemoved('portal', 'writer'), [READERS, []]],
  ['acme', roleAdded('portal', 'writer', { permissions: ['write'] }), [READERS, []]],
  ['acme', userGrantUpdated(grantOf('ann'), ['writer', 'reader', 'bare']), [READERS, ANN[1]]],
  ['acme', projectRemoved('portal'), NOBODY],
]

const QUERY: HoldersQuery = { orgId: 'acme', projectId: 'portal', now: BEFORE_END, limit: 1000 }

const nameOf = ({ roleKey, orgId, userId }: Holder): string => `${roleKey} ${orgId}/${userId}`

/** The holders of roles with `read`, with `write`, and with permissions that no role has. */
const holdersIn = async (model: ReadModel, at?: bigint) => {
  const found: (readonly string[])[] = []
  for (const permission of ['read', 'write', 'rea', 'READ']) {
    const { items } = await model.holders({ ...QUERY, permission, ...(at !== undefined && { at }) })
    found.push(items.map(nameOf))
  }
  return found
}

/** Runs `check` after each event of the story, which was applied alone. */
const afterEach = async (
  { open }: ReadModelHome,
  check: (model: ReadModel, index: number) => Promise<void>,
): Promise<void> => {
  const model = await open()
  for (const [index, event] of logOf(STORY).events.entries()) {
    await model.apply(await model.checkpoint(), [event])
    await check(model, index)
  }
}

/** The permissions of the roles of `acme` after the event of the story with that index. */
const permissionsAfter = (index: number): Readonly<Record<string, readonly string[]>> => {
  let permissions: Record<string, readonly string[]> = {}
  for (const [orgId, { type, data }] of STORY.slice(0, index + 1)) {
    if (orgId !== 'acme') continue
    if (type === 'project_role.added' || type === 'project_role.updated')
      permissions[data.roleKey] = data.permissions
    if (type === 'project_role.removed') delete permissions[data.roleKey]
    if (type === 'project.removed') permissions = {}
  }
  return permissions
}

/** Conditions on permissions, and the test that each of them is. */
const CONDITIONS: readonly (readonly [
  Omit<Condition, 'field'>,
  (permission: string) => boolean,
])[] = [
  [{ operator: 'equals', value: 'read', ignoreCase: false }, (name) => name === 'read'],
  [{ operator: 'equals', value: 'READ', ignoreCase: false }, () => false],
  [{ operator: 'equals', value: 'READ', ignoreCase: true }, (name) => name === 'read'],
  [{ operator: 'startsWith', value: 'wri', ignoreCase: false }, (name) => name === 'write'],
  [{ operator: 'startsWith', value: 'z', ignoreCase: true }, (name) => name === 'Z'],
  [{ operator: 'contains', value: 'a', ignoreCase: false }, (name) => name.includes('a')],
  [{ operator: 'contains', value: 'RIT', ignoreCase: true }, (name) => name === 'write'],
]

/** Laws of what roles allow. */
export const permissionLaws = lawsOf<ReadModelHome>({
  'Roles are listed by a permission that they have.': (home) =>
    afterEach(home, async (model, index) => {
      const permissions = Object.entries(permissionsAfter(index))
      for (const [condition, meets] of CONDITIONS) {
        const conditions = [{ ...condition, field: 'permission' }]
        const { items, totalSize } = await model.list({ ...ROLES, conditions })
        const keys = permissions
          .filter(([, names]) => names.some(meets))
          .map(([roleKey]) => roleKey)
          .sort()
        demandEqual(
          `${condition.operator} ${condition.value} after event ${index}`,
          [items.map(({ roleKey }) => roleKey), totalSize],
          [keys, keys.length],
        )
      }
    }),
  'Holders of a permission are the holders of the roles that have it.': (home) =>
    afterEach(home, async (model, index) => {
      const expected = STORY[index]?.[2] ?? NOBODY
      demandEqual(`holders after event ${index}`, await holdersIn(model), [...expected, [], []])
    }),
  'Holders of a permission at a position are the holders of the roles that had it right after its event.':
    async (home) => {
      const log = logOf(STORY)
      const model = await fedWith(home, log)
      demandEqual('before all events', await holdersIn(model, 0n), [[], [], [], []])
      for (const [index, { position }] of log.events.entries()) {
        const expected = STORY[index]?.[2] ?? NOBODY
        for (const at of [position, position + 1n])
          demandEqual(`holders at event ${index}`, await holdersIn(model, at), [
            ...expected,
            [],
            [],
          ])
      }
    },
  'Holders of a permission are found by one role or by all, page by page.': async (home) => {
    const log = logOf(STORY)
    const model = await fedWith(home, log)
    const query = { ...QUERY, permission: 'read', at: log.events[5]?.position ?? 0n }
    const { items: all } = await model.holders(query)
    demandEqual('all', all.map(nameOf), BOTH[0])
    const ofWriter = await model.holders({ ...query, roleKey: 'writer' })
    demandEqual('of one role', ofWriter.items, all.slice(2))
    demandEqual('of a role without', await model.holders({ ...query, roleKey: 'bare' }), {
      items: [],
      hasMore: false,
    })
    for (const [index, { roleKey, orgId, userId }] of all.entries())
      demandEqual(
        `after ${index}`,
        await model.holders({ ...query, limit: 1, after: [roleKey, orgId, '', '', userId] }),
        { items: all.slice(index + 1, index + 2), hasMore: index === 0 },
      )
  },
  'The roles of a user have the permissions of the last event of the role, in its order.': (home) =>
    afterEach(home, async (model, index) => {
      const permissions = permissionsAfter(index)
      const ids = { orgId: 'acme', userId: 'ann', projectId: 'portal' }
      const held = await model.heldRoles({ ...ids, now: BEFORE_END, limit: 1000 })
      const { roles } = await model.access({ ...ids, projectOrgId: 'acme' })
      for (const found of [held.items, roles])
        demandEqual(
          `permissions after event ${index}`,
          found.map((role) => [role.roleKey, role.permissions]),
          found.map(({ roleKey }) => [roleKey, permissions[roleKey]]),
        )
    }),
  'History does not show that a role is added without permissions.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'bare'))
    log.record('acme', roleUpdated('portal', 'bare', { permissions: ['read'] }))
    log.record('acme', roleUpdated('portal', 'bare', { permissions: [] }))
    log.record('acme', roleAdded('portal', 'reader', { permissions: ['read'] }))
    const model = await fedWith(home, log)
    const entries = await model.history({ orgId: 'acme', after: 0n, limit: 100 })
    const shown = entries.map(({ changes }) =>
      changes.flatMap((change) =>
        change.field === 'permissions' && 'to' in change ? [[change.from, change.to]] : [],
      ),
    )
    const [none, some] = [[], ['read']]
    demandEqual('changes', shown, [[], [], [[none, some]], [[some, none]], [[undefined, some]]])
  },
  'A role whose events are of version 1 has no permissions.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'reader'))
    log.record('acme', roleUpdated('portal', 'reader', { displayName: 'Reader' }))
    log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
    const older = log.events.map((event) => {
      if (event.schemaVersion === 1) return event
      const { permissions: _, ...data }: { readonly permissions?: unknown } = event.data
      return { ...event, schemaVersion: 1, data }
    })
    const model = await home.open()
    await model.apply(0n, older)
    const { items } = await model.list(ROLES)
    demandEqual(
      'the role',
      items.map(({ displayName, permissions }) => [displayName, permissions]),
      [['Reader', []]],
    )
    demandEqual('holders', await holdersIn(model), [[], [], [], []])
  },
})
