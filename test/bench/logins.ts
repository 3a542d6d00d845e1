import { type Context, checkLogin, type Iam } from 'claviger'
import { addRatio, addRows, type Report } from './report.ts'
import { memory, postgres } from './stores.ts'
import { projectIdOf, projectOf } from './system.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { type Job, runTimed, type Timed } from './timed.ts'
import type { Scale } from './workloads.ts'

const CALLS = 1_000_000
const PROJECTS = 1000
const USERS = 1000
const EDITOR_ROLE = { roleKey: 'editor' }
const EVENTUAL = { ...CONTEXT, consistency: 'eventual' as const }

/** Workload E: what a login asks, in memory and on PostgreSQL. */
export const logins = async (report: Report, scale: Scale): Promise<void> => {
  await inMemory(report, scale)
  await onPostgres(report, scale)
}

const inMemory = async (report: Report, scale: Scale): Promise<void> => {
  const opened = await memory.open()
  const iam = bind(opened)
  await addGrants(iam)
  const calls = CALLS * scale.share
  const measured = await runTimed(scale, [
    checkLogins(calls),
    ...readsOf(iam, CONTEXT, calls / 10),
    ...readsOf(iam, EVENTUAL, calls / 10),
  ])
  await opened.close()
  addAll(report, 'E logins, memory', measured)
  const [check, , , get, access] = measured
  if (!check || !get || !access) return
  addRatio(report, 'E checkLogin per second', { measured: check.perSecond, target: 5_000_000 })
  addAccess(report, 'both eventual', get, access)
}

const onPostgres = async (report: Report, scale: Scale): Promise<void> => {
  const opened = await postgres.open()
  const iam = bind(opened)
  await addGrants(iam)
  const measured = await runTimed(scale, readsOf(iam, CONTEXT, (CALLS / 500) * scale.share))
  await opened.close()
  addAll(report, 'E logins, postgres', measured)
  const [get, access] = measured
  if (get && access) addAccess(report, 'PostgreSQL, both strong', get, access)
}

const addAll = (report: Report, workload: string, jobs: readonly Timed[]): void =>
  addRows(
    report,
    workload,
    jobs.map(({ measured }) => measured),
  )

const addAccess = (report: Report, where: string, get: Timed, access: Timed): void =>
  addRatio(report, `E access.check / projects.get, ${where}`, {
    measured: access.perSecond / get.perSecond,
    target: 0.5,
  })

/** Adds projects, and users who have a role in the first one. */
const addGrants = async (iam: Iam): Promise<void> => {
  for (let index = 0; index < PROJECTS; index++) {
    await iam.projects.add({ ...projectOf(0, 1), id: projectIdOf(index) }, CONTEXT)
  }
  await iam.projectRoles.add(
    { projectId: projectIdOf(0), ...EDITOR_ROLE, displayName: 'Editor' },
    CONTEXT,
  )
  for (let index = 0; index < USERS; index++) {
    const grant = { userId: `user-${index}`, projectId: projectIdOf(0), roles: [EDITOR_ROLE] }
    await iam.userGrants.add(grant, CONTEXT)
  }
  await iam.projects.get({ id: projectIdOf(0) }, CONTEXT)
}

const checkLogins = (calls: number): Job => {
  const project = {
    projectRoleCheck: true,
    hasProjectCheck: true,
    details: { resourceOwner: 'acme' },
  }
  const roleKeys = ['viewer', 'editor', 'admin']
  const users = ['acme', 'globex'].flatMap((userOrgId) =>
    ['editor', 'nobody'].map((key) => ({
      userOrgId,
      userRoleKeys: [key],
      grantedOrgIds: ['globex'],
    })),
  )
  return {
    name: 'checkLogin on plain states',
    operations: calls,
    run: async () => {
      let passed = 0
      for (let index = 0; index < calls; index++) {
        const user = users[index & 3]
        if (user && checkLogin({ project, roleKeys }, user).isOk()) passed++
      }
      return passed
    },
    expected: calls / 2,
  }
}

/** A get and a check of access, one call at a time. */
const readsOf = (iam: Iam, context: Context, calls: number): readonly Job[] => {
  const consistency = context.consistency ?? 'strong'
  return [
    {
      name: `projects.get, ${consistency}`,
      operations: calls,
      run: async () => {
        let found = 0
        for (let index = 0; index < calls; index++) {
          const got = await iam.projects.get({ id: projectIdOf(index % PROJECTS) }, context)
          if (got.isOk()) found++
        }
        return found
      },
      expected: calls,
    },
    {
      name: `access.check, ${consistency}`,
      operations: calls,
      run: async () => {
        let allowed = 0
        for (let index = 0; index < calls; index++) {
          const asked = {
            userId: `user-${index % USERS}`,
            projectId: projectIdOf(0),
            ...EDITOR_ROLE,
          }
          const checked = await iam.access.check(asked, context)
          if (checked.isOk() && checked.value.allowed) allowed++
        }
        return allowed
      },
      expected: calls,
    },
  ]
}
