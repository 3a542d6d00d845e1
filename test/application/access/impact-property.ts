import fc from 'fast-check'
import { expect } from 'vitest'
import type { Impact, Planned } from '../../../src/index.js'
import { context, good, type Iam } from '../host.js'
import {
  anyStep,
  foundation,
  ORGS,
  PROJECTS,
  ROLES,
  START,
  STEP_MS,
  type Step,
  USERS,
} from './any-history.js'

type Role = Impact['loses']['first'][number]

const byText = (one: readonly string[], other: readonly string[]): number =>
  one
    .map((text, index) => (text < (other[index] ?? '') ? -1 : text === other[index] ? 0 : 1))
    .find(Boolean) ?? 0

const keyOf = ({ roleKey, orgId, userId, resource = '' }: Role) => [
  ...[roleKey, orgId, userId],
  resource,
]

/** Who has which role of every project, by project. */
const everybody = async (iam: Iam): Promise<ReadonlyMap<string, Role>> => {
  const all = new Map<string, Role>()
  for (const owner of ORGS)
    for (const projectId of PROJECTS) {
      const { items } = await good(iam.access.whoHas({ projectId }, { ...context, orgId: owner }))
      for (const { orgId, userId, roleKey, resource } of items) {
        const role = { orgId, userId, roleKey, ...(resource !== undefined && { resource }) }
        all.set(JSON.stringify([owner, projectId, roleKey, orgId, userId, resource]), role)
      }
    }
  return all
}

/** The difference between two answers of {@link everybody}. */
const difference = (
  before: ReadonlyMap<string, Role>,
  after: ReadonlyMap<string, Role>,
): Impact => {
  const only = (one: ReadonlyMap<string, Role>, other: ReadonlyMap<string, Role>) => {
    // A role of the whole project counts on its resources, too.
    const whole = (key: string) => JSON.stringify([...JSON.parse(key).slice(0, 5), undefined])
    const all = [...one]
      .filter(([key]) => !other.has(key) && !other.has(whole(key)))
      .map(([, role]) => role)
    return { count: all.length, first: all.toSorted((a, b) => byText(keyOf(a), keyOf(b))) }
  }
  return { loses: only(before, after), gains: only(after, before) }
}

const NONE = difference(new Map(), new Map())

/** Events that can begin or end the role of a user. */
const CONCERNS_ROLES =
  /^(user_grant|project_grant)|^project\.(deactivated|reactivated|removed)|^project_role\.removed/

interface Answered {
  readonly isOk: () => boolean
  readonly value?: Planned
}

const dry = { ...context, dryRun: true } as never

/** A library whose clock stands still until the next step. */
export type OpenIam = (now: () => Date) => Promise<Iam>

/** Every write of random histories does to the holders of roles what its dry run says. */
export const everyWrite = (open: OpenIam) =>
  fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60 }), async (steps) => {
    let time = START.getTime()
    const iam = await open(() => new Date(time))
    for (const step of foundation) await step(iam)
    let before = await everybody(iam)
    for (const step of steps) {
      time += STEP_MS
      before = await everybody(iam)
      const planned = (await step(iam, dry)) as Answered | undefined
      await step(iam)
      if (!planned?.isOk()) continue
      const { impact, events = [] } = planned.value ?? {}
      const found = difference(before, await everybody(iam))
      expect(impact ?? NONE, JSON.stringify(events)).toEqual(found)
      if (events.some(({ type }) => CONCERNS_ROLES.test(type))) expect(impact).toBeDefined()
    }
  })

const anyProject = fc.record({
  roleKeys: fc.subarray([...ROLES, 'author']),
  granted: fc.option(fc.subarray([...ROLES, 'author'], { minLength: 1 })),
})

const anyState = fc.record({ portal: anyProject, shop: anyProject }).map((declared) => ({
  managedBy: 'property',
  prune: true,
  projects: PROJECTS.map((id) => {
    const { roleKeys, granted } = declared[id]
    const held = (granted ?? []).filter((roleKey) => roleKeys.includes(roleKey))
    return {
      id,
      name: id,
      roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
      grants: held.length > 0 ? [{ grantedOrgId: 'globex', roleKeys: held }] : [],
    }
  }),
}))

const giveAll: readonly Step[] = ORGS.flatMap((orgId) =>
  PROJECTS.flatMap((projectId) =>
    USERS.flatMap((userId) =>
      [...ROLES, 'author'].map((roleKey): Step => {
        const grant = { userId, projectId, projectOrgId: 'acme', roles: [{ roleKey }] }
        const at = { ...context, orgId }
        return async (iam) => {
          const added = await iam.userGrants.add(grant, at)
          if (added.isErr()) await iam.userGrants.addRoles(grant, at)
        }
      }),
    ),
  ),
)

/** The changes of a plan together do to the holders of roles what they say one by one. */
export const everyPlan = (open: OpenIam) =>
  fc.asyncProperty(
    anyState,
    fc.array(anyStep, { maxLength: 6 }),
    anyState,
    async (first, steps, second) => {
      let time = START.getTime()
      const iam = await open(() => new Date(time))
      await good(iam.apply(first, context))
      for (const step of [...giveAll, ...steps]) await step(iam)
      time += STEP_MS
      const planned = await iam.plan(second, context)
      if (planned.isErr()) return
      const before = await everybody(iam)
      await good(iam.apply(planned.value, context))
      const { loses, gains } = difference(before, await everybody(iam))
      const impacts = planned.value.changes.flatMap(({ impact }) => impact ?? [])
      const lost = impacts.flatMap((impact) => impact.loses.first)
      expect(lost.toSorted((a, b) => byText(keyOf(a), keyOf(b)))).toEqual(loses.first)
      expect(impacts.reduce((sum, impact) => sum + impact.loses.count, 0)).toBe(loses.count)
      expect(gains).toEqual(NONE.gains)
      for (const { action, object, impact } of planned.value.changes) {
        const isRemoval = action === 'remove' && object.type !== 'identity_provider'
        const isUpdate = action === 'update' && object.type === 'project_grant'
        expect(impact !== undefined, `${action} ${object.type}`).toBe(isRemoval || isUpdate)
      }
    },
  )

const GROUPS = ['a', 'b', 'c']
const MEMBERS = ['u1', 'u2', 'u3']
const onPlace = fc.constantFrom(undefined, 'r1', 'r2')

const anyMapping = fc.record(
  {
    idpId: fc.constantFrom('i1', 'i2'),
    group: fc.constantFrom(...GROUPS),
    resource: fc.constantFrom('r1', 'r2'),
    roleKeys: fc.subarray([...ROLES], { minLength: 1 }),
    validFor: fc.constantFrom(24, 200),
  },
  { requiredKeys: ['idpId', 'group', 'roleKeys'] },
)

const anyMapped = fc
  .record({
    roleKeys: fc.subarray([...ROLES], { minLength: 1 }),
    mappings: fc.uniqueArray(anyMapping, {
      maxLength: 6,
      selector: ({ idpId, group, resource }) => JSON.stringify([idpId, group, resource]),
    }),
  })
  .map(({ roleKeys, mappings }) => ({
    managedBy: 'property',
    prune: true,
    projects: [
      {
        id: 'portal',
        name: 'portal',
        roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
        mappings: mappings
          .map((each) => ({
            ...each,
            roleKeys: each.roleKeys.filter((roleKey) => roleKeys.includes(roleKey)),
          }))
          .filter((each) => each.roleKeys.length > 0),
      },
    ],
  }))

const anyReport = fc.record({
  idpId: fc.constantFrom('i1', 'i2'),
  userId: fc.constantFrom(...MEMBERS),
  groups: fc.subarray(GROUPS, { minLength: 1 }),
})

/** Each change of a plan of mappings does what it says to the holders of roles, when all are made by hand in their order. */
export const everyPlanOfMappings = (open: OpenIam) =>
  fc.asyncProperty(
    anyMapped,
    fc.array(anyReport, { minLength: 1, maxLength: 8 }),
    fc.option(fc.tuple(fc.constantFrom(...MEMBERS), onPlace), { nil: undefined }),
    anyMapped,
    fc.boolean(),
    async (first, reports, granted, second, isOff) => {
      let time = START.getTime()
      const iam = await open(() => new Date(time))
      for (const idpId of ['i1', 'i2']) {
        const provider = { idpId, name: idpId, clientId: 'c', clientSecret: 's' }
        await good(
          iam.identityProviders.addOidc({ ...provider, issuer: 'https://idp.example' }, context),
        )
      }
      await good(iam.apply(first, context))
      if (granted) {
        const [userId, resource] = granted
        const roles = first.projects[0]?.roles.slice(0, 1).map(({ roleKey }) => ({ roleKey })) ?? []
        const on = resource === undefined ? {} : { resource }
        await good(iam.userGrants.add({ userId, projectId: 'portal', ...on, roles }, context))
      }
      for (const report of reports) {
        time += STEP_MS
        await good(iam.memberships.report(report, context))
      }
      if (isOff) await good(iam.identityProviders.deactivate({ idpId: 'i2' }, context))
      const { changes } = await good(iam.plan(second, context))
      const desired = second.projects[0]?.mappings ?? []
      const named = (ref: {
        readonly idpId: string
        readonly group: string
        readonly resource?: string | undefined
      }) => JSON.stringify([ref.idpId, ref.group, ref.resource])
      for (const { action, object, impact } of changes) {
        const before = await everybody(iam)
        if (object.type === 'project_role') {
          const { type: _, ...ids } = object
          if (action === 'remove') await good(iam.projectRoles.remove(ids, context))
          if (action === 'add')
            await good(iam.projectRoles.add({ ...ids, displayName: ids.roleKey }, context))
        }
        if (object.type === 'role_mapping') {
          const { type: _, ...ids } = object
          const { roleKeys = [], validFor } =
            desired.find((each) => named(each) === named(object)) ?? {}
          const mapping = { ...ids, roleKeys, ...(validFor !== undefined && { validFor }) }
          if (action === 'remove') await good(iam.roleMappings.remove(ids, context))
          if (action === 'add') await good(iam.roleMappings.add(mapping, context))
          if (action === 'update') await good(iam.roleMappings.update(mapping, context))
        }
        expect(impact ?? NONE, JSON.stringify([action, object])).toEqual(
          difference(before, await everybody(iam)),
        )
      }
    },
  )
