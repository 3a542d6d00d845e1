import { type Iam, items, orThrow } from 'claviger'
import { expect, it } from 'vitest'
import { searched } from '../nightly.js'
import { addProject, callers, clientOf, openIam } from './host.js'

// Random questions, answered as `access.check`, `whoHas` and `rolesOf` answer them.

/** Numbers that look random and are the same every time. */
const randomOf = (seed: number) => {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  const pick = <Item>(list: readonly Item[]): Item => {
    const item = list[below(list.length)]
    if (item === undefined) throw new Error('Nothing to pick')
    return item
  }
  return { below, pick, some: <Item>(list: readonly Item[]) => list.filter(() => below(2) === 0) }
}

const QUESTIONS = searched({ short: 600, nightly: 2_000 })

const ORGS = ['acme', 'globex'] as const
const PROJECTS = ['p1', 'p2', 'p3']
const USERS = ['u1', 'u2', 'u3', 'u4']
const ROLES = ['a', 'b', 'c', 'd']
const GROUPS = ['staff', 'press']
const PERMISSIONS = ['read', 'write', 'approve', 'delete', 'never']

const caller = callers.admin
const random = randomOf(48)

/** A world of two organizations that grant each other projects, and times at which it was different. */
const makeWorld = async () => {
  const { iam, clock } = openIam()
  const times: Date[] = [clock()]
  for (const orgId of ORGS)
    for (const projectId of PROJECTS) {
      const roles = ROLES.map((key) => [key, random.some(PERMISSIONS.slice(0, 4))] as const)
      await addProject(iam, projectId, Object.fromEntries(roles), orgId)
      const grantedOrgId = orgId === 'acme' ? 'globex' : 'acme'
      if (projectId !== 'p3')
        await orThrow(
          iam.projectGrants.add({ projectId, grantedOrgId, roleKeys: ROLES }, { caller, orgId }),
        )
    }
  for (const orgId of ORGS) {
    const provider = { idpId: 'idp', name: 'Idp', issuer: 'https://idp.example' }
    const client = { clientId: 'client', clientSecret: 'secret' }
    await orThrow(iam.identityProviders.addOidc({ ...provider, ...client }, { caller, orgId }))
  }
  for (let step = 0; step < 400; step++) {
    clock.advance(1000)
    await change(iam, clock())
    times.push(clock())
  }
  clock.advance(1000)
  return { iam, times }
}

/** One random change; many are refused, which changes nothing. */
const change = async (iam: Iam, now: Date): Promise<void> => {
  const [orgId, projectOrgId] = [random.pick(ORGS), random.pick(ORGS)]
  const [projectId, userId, roleKey] = [
    random.pick(PROJECTS),
    random.pick(USERS),
    random.pick(ROLES),
  ]
  const grant = { userId, projectId, projectOrgId }
  const context = { caller, orgId }
  const end = new Date(now.getTime() + 1000 * (1 + random.below(200)))
  const roles = ROLES.filter((key) => key === roleKey || random.below(3) === 0).map((key) => ({
    roleKey: key,
    ...(random.below(3) === 0 && { expiresAt: end }),
  }))
  const group = random.pick(GROUPS)
  const mapping = { idpId: 'idp', group, projectId, projectOrgId, roleKeys: [roleKey] }
  const report = () => {
    const groups = random.some(GROUPS)
    return iam.memberships.report({ idpId: 'idp', userId, groups }, context)
  }
  const add = () => iam.userGrants.add({ ...grant, roles }, context)
  const addRoles = () => iam.userGrants.addRoles({ ...grant, roles }, context)
  const changes = [
    ...[add, add, add, add, add, add, addRoles, addRoles, addRoles, addRoles],
    ...[report, report, report],
    ...[1, 2, 3].map(() => () => iam.roleMappings.add(mapping, context)),
    () => iam.roleMappings.remove(mapping, context),
    () => iam.userGrants.deactivate(grant, context),
    () => iam.userGrants.reactivate(grant, context),
    () => iam.userGrants.reactivate(grant, context),
    () => iam.userGrants.remove(grant, context),
    () => iam.projectRoles.remove({ projectId, roleKey }, context),
    () =>
      iam.projectRoles.add(
        { projectId, roleKey, displayName: 'New', permissions: random.some(PERMISSIONS) },
        context,
      ),
    () => iam.projects.deactivate({ id: projectId }, context),
    ...[1, 2, 3].map(() => () => iam.projects.reactivate({ id: projectId }, context)),
  ]
  await random.pick(changes)()
}

it(`answers ${QUESTIONS} random questions as the library does`, async () => {
  const { iam, times } = await makeWorld()
  const { ask } = clientOf(iam)
  const counts = { yes: 0, no: 0, found: 0 }

  const results = async (
    path: string,
    asked: object,
    headers: Readonly<Record<string, string>>,
  ) => {
    const found: Record<string, string>[] = []
    let token = ''
    const limit = 1 + random.below(4)
    do {
      const { status, body } = await ask(path, { ...asked, page: { token, limit } }, { headers })
      expect(status).toBe(200)
      found.push(...body.results)
      token = body.page.next_token
    } while (token !== '')
    counts.found += found.length
    return found
  }

  for (let question = 0; question < QUESTIONS; question++) {
    const [orgId, projectOrgId] = [random.pick(ORGS), random.pick(ORGS)]
    const [projectId, userId] = [random.pick([...PROJECTS, 'none']), random.pick([...USERS, 'u7'])]
    const permission = random.pick(PERMISSIONS)
    const at = random.below(2) === 0 ? { at: random.pick(times) } : {}
    const context = { caller, orgId }
    const access = { userId, projectId, projectOrgId, ...at }
    const headers = { 'x-service-orgid': orgId }
    const asked = {
      subject: { type: 'user', id: userId },
      action: { name: permission },
      resource: { type: 'project', id: `${projectOrgId}/${projectId}` },
      ...('at' in at && { context: { at: at.at } }),
    }
    switch (question % 5) {
      case 0: {
        const { body } = await ask('/access/v1/evaluation', asked, { headers })
        const { allowed, reasons } = await orThrow(
          iam.access.check({ ...access, permission }, context),
        )
        counts[allowed ? 'yes' : 'no']++
        expect(body).toEqual(
          allowed ? { decision: true } : { decision: false, context: { reasons } },
        )
        break
      }
      case 1: {
        const evaluations = PERMISSIONS.map((name) => ({ action: { name } }))
        const { body } = await ask('/access/v1/evaluations', { ...asked, evaluations }, { headers })
        const checks = PERMISSIONS.map(async (name) => {
          const input = { ...access, permission: name }
          const { allowed, reasons } = await orThrow(iam.access.check(input, context))
          return allowed ? { decision: true } : { decision: false, context: { reasons } }
        })
        expect(body).toEqual({ evaluations: await Promise.all(checks) })
        break
      }
      case 2: {
        const holders: string[] = []
        const input = { projectId, permission, ...at }
        for await (const holder of items(iam.access.whoHas, input, { caller, orgId: projectOrgId }))
          if (holder.orgId === orgId) holders.push(holder.userId)
        const found = await results('/access/v1/search/subject', asked, headers)
        expect(found).toEqual([...new Set(holders)].sort().map((id) => ({ type: 'user', id })))
        break
      }
      case 3: {
        const held: string[] = []
        for await (const role of items(iam.access.rolesOf, { userId, ...at }, context))
          if (role.permissions.includes(permission))
            held.push(
              role.projectOrgId === orgId
                ? role.projectId
                : `${role.projectOrgId}/${role.projectId}`,
            )
        const found = await results('/access/v1/search/resource', asked, headers)
        expect(found).toEqual([...new Set(held)].map((id) => ({ type: 'project', id })))
        break
      }
      default: {
        const { permissions } = await orThrow(iam.access.check(access, context))
        const found = await results('/access/v1/search/action', asked, headers)
        expect(found).toEqual(permissions.map((name) => ({ name })))
      }
    }
  }
  // The world is one in which much can be said.
  expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(QUESTIONS / 60)
  expect(counts.found).toBeGreaterThan(QUESTIONS / 4)
})
