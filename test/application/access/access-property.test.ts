import fc from 'fast-check'
import { expect, test } from 'vitest'
import { items as itemsOf, timeOf } from '../../../src/index.js'
import { context, good } from '../host.js'
import { ORGS, PERMISSIONS, PROJECTS, RESOURCES, USERS } from './any-history.js'
import { NaiveModel } from './naive-model.js'
import { byKind, everyCheck, HISTORIES, HOMES, histories, played, questions } from './played.js'

test.each(HOMES)(
  'after any history, every check and every list of roles agrees with a naive replay: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log, now } = await played(steps, open)
        const model = new NaiveModel(log)
        for (const ids of everyCheck)
          for (const asked of questions) {
            const { orgId, ...rest } = ids
            const checked = await good(
              iam.access.check({ ...rest, ...asked }, { ...context, orgId }),
            )
            expect(byKind(checked), JSON.stringify({ ids, asked })).toEqual(
              byKind(model.check(ids, asked, now)),
            )
          }
        for (const orgId of ORGS)
          for (const userId of USERS) {
            const { items } = await good(iam.access.rolesOf({ userId }, { ...context, orgId }))
            expect(items).toEqual(model.rolesOf(orgId, userId, now))
            for (const resource of RESOURCES) {
              const asked = { userId, resource }
              const there = await good(iam.access.rolesOf(asked, { ...context, orgId }))
              expect(there.items).toEqual(model.rolesOf(orgId, userId, now, resource))
            }
            for (const permission of PERMISSIONS) {
              const asked = { userId, permission, pageSize: 2 }
              const scopes = []
              for await (const scope of itemsOf(iam.access.scopesOf, asked, { ...context, orgId }))
                scopes.push(scope)
              expect(scopes).toEqual(model.scopesOf(orgId, userId, permission, now))
            }
          }
      }),
      { numRuns: Math.ceil(HISTORIES * share) },
    )
  },
)

test.each(HOMES)(
  'after any history, an organization lists and counts its own grants and those it has received: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log } = await played(steps, open)
        const model = new NaiveModel(log)
        for (const orgId of [...ORGS, 'nobody']) {
          const at = { ...context, orgId }
          const own = await good(iam.userGrants.list({}, at))
          const shown = own.items.map(({ userId, projectId, projectOrgId, resource, roles }) => {
            const roleKeys = roles.map(({ roleKey }) => roleKey).toSorted()
            const on = resource === undefined ? {} : { resource }
            return { userId, projectId, projectOrgId, ...on, roleKeys }
          })
          expect(shown).toEqual(model.userGrants(orgId))
          expect(own.totalSize).toBe(shown.length)
          const { items, totalSize } = await good(iam.projectGrants.listReceived({}, at))
          const received = items.map(({ projectId, projectOrgId, grantedOrgId, roleKeys }) => ({
            projectId,
            projectOrgId,
            grantedOrgId,
            roleKeys: roleKeys.toSorted(),
          }))
          expect(received).toEqual(model.received(orgId))
          expect(totalSize).toBe(received.length)
        }
      }),
      { numRuns: Math.ceil(HISTORIES * share) },
    )
  },
)

test.each(HOMES)(
  'after any history, who had which role at each time agrees with a naive replay: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const { iam, log, now } = await played(steps, open)
        const moments = [
          ...new Set(log.map(({ position }) => timeOf(position).getTime())),
          now.getTime(),
        ]
        for (const moment of moments) {
          const at = new Date(moment)
          const model = new NaiveModel(log.filter(({ position }) => timeOf(position) <= at))
          for (const orgId of ORGS)
            for (const projectId of PROJECTS)
              for (const permission of [undefined, ...PERMISSIONS]) {
                const which = permission === undefined ? {} : { permission }
                const asked = { projectId, ...which, ...(at < now && { at }) }
                const { items } = await good(iam.access.whoHas(asked, { ...context, orgId }))
                expect(items).toEqual(model.whoHas(orgId, projectId, permission, at))
                for (const resource of RESOURCES) {
                  const there = iam.access.whoHas({ ...asked, resource }, { ...context, orgId })
                  const expected = model.whoHas(orgId, projectId, permission, at, resource)
                  expect((await good(there)).items).toEqual(expected)
                }
                for (const userOrgId of ORGS) {
                  const granted = { ...asked, projectOrgId: orgId }
                  const own = await good(
                    iam.access.whoHas(granted, { ...context, orgId: userOrgId }),
                  )
                  expect(own.items).toEqual(items.filter((each) => each.orgId === userOrgId))
                }
              }
          for (const orgId of ORGS)
            for (const projectId of [undefined, ...PROJECTS])
              for (const permission of [undefined, ...PERMISSIONS]) {
                const which = { ...(projectId && { projectId }), ...(permission && { permission }) }
                const asked = { ...which, ...(at < now && { at }) }
                const { items } = await good(iam.access.users(asked, { ...context, orgId }))
                expect(items).toEqual(model.users(orgId, projectId, permission, at))
              }
        }
      }),
      { numRuns: Math.ceil((HISTORIES / 2) * share) },
    )
  },
)
