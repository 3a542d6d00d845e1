import { checkLogin } from 'claviger'
import { addRatio, addRows, type Report } from './report.ts'
import { memory } from './stores.ts'
import { projectIdOf, projectOf } from './system.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

const CALLS = 1_000_000
const PROJECTS = 1000
const USERS = 1000
const EDITOR = { roleKey: 'editor', displayName: 'Editor' }
const EDITOR_ROLE = { roleKey: 'editor' }

/** Workload E: what a login asks, in memory. */
export const logins = async (report: Report, scale: Scale): Promise<void> => {
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
  const opened = await memory.open()
  const iam = bind(opened)
  for (let index = 0; index < PROJECTS; index++) {
    await iam.projects.add({ ...projectOf(0, 1), id: projectIdOf(index) }, CONTEXT)
  }
  await iam.projectRoles.add({ projectId: projectIdOf(0), ...EDITOR }, CONTEXT)
  for (let index = 0; index < USERS; index++) {
    const grant = { userId: `user-${index}`, projectId: projectIdOf(0), roles: [EDITOR_ROLE] }
    await iam.userGrants.add(grant, CONTEXT)
  }
  const eventual = { ...CONTEXT, consistency: 'eventual' as const }
  await iam.projects.get({ id: projectIdOf(0) }, CONTEXT)

  const calls = CALLS * scale.share
  const measured = await runTimed(scale, [
    {
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
    },
    ...[CONTEXT, eventual].map((context) => ({
      name: `projects.get, ${context === eventual ? 'eventual' : 'strong'}`,
      operations: calls / 10,
      run: async () => {
        let found = 0
        for (let index = 0; index < calls / 10; index++) {
          const got = await iam.projects.get({ id: projectIdOf(index % PROJECTS) }, context)
          if (got.isOk()) found++
        }
        return found
      },
      expected: calls / 10,
    })),
    {
      name: 'access.check, eventual',
      operations: calls / 10,
      run: async () => {
        let allowed = 0
        for (let index = 0; index < calls / 10; index++) {
          const asked = {
            userId: `user-${index % USERS}`,
            projectId: projectIdOf(0),
            ...EDITOR_ROLE,
          }
          const checked = await iam.access.check(asked, eventual)
          if (checked.isOk() && checked.value.allowed) allowed++
        }
        return allowed
      },
      expected: calls / 10,
    },
  ])
  addRows(
    report,
    'E logins, memory',
    measured.map(({ measured }) => measured),
  )
  const [check, , get, access] = measured
  if (!check || !get || !access) return
  addRatio(report, 'E checkLogin per second', { measured: check.perSecond, target: 5_000_000 })
  addRatio(report, 'E access.check / projects.get, both eventual', {
    measured: access.perSecond / get.perSecond,
    target: 0.5,
  })
}
