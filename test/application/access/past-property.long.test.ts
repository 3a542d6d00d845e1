import fc from 'fast-check'
import { expect, test } from 'vitest'
import { items, timeOf } from '../../../src/index.js'
import { context, good, refusal } from '../host.js'
import { ORGS, PROJECTS, ROLES, USERS } from './any-history.js'
import { NaiveModel } from './naive-model.js'
import { byKind, everyCheck, HISTORIES, HOMES, histories, played, questions } from './played.js'

/** All that are collected of a method that answers page by page. */
const all = async <Item>(pages: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const found: Item[] = []
  for await (const item of pages) found.push(item)
  return found
}

test.each(HOMES)(
  'after any history, what was asked about each moment agrees with a naive replay up to it: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (steps, some) => {
        const { iam, log, now } = await played(steps, open)
        const times = [...new Set(log.map(({ position }) => timeOf(position).getTime()))]
        const moments = [times.at(some % times.length), times.at((some >> 8) % times.length)]
        for (const moment of [...moments, now.getTime()]) {
          const at = new Date(moment ?? 0)
          const asOf = at < now ? { at } : {}
          const model = new NaiveModel(log.filter(({ position }) => timeOf(position) <= at))
          for (const { orgId, ...ids } of everyCheck) {
            const within = { ...context, orgId }
            for (const asked of questions) {
              const verdict = model.check({ orgId, ...ids }, asked, at)
              const input = { ...ids, ...asked, ...asOf }
              const checked = await good(iam.access.check(input, within))
              expect(byKind(checked), JSON.stringify({ ids, asked })).toEqual(byKind(verdict))
              const required = iam.access.require(input, within)
              if (verdict.allowed) expect(await good(required)).toEqual(checked)
              else
                expect(await refusal(required)).toEqual({
                  kind: 'AccessDenied',
                  reasons: checked.reasons,
                  roleKeys: checked.roleKeys,
                })
            }
          }
          for (const orgId of ORGS) {
            const within = { ...context, orgId }
            for (const userId of USERS) {
              const held = items(iam.access.rolesOf, { userId, pageSize: 2, ...asOf }, within)
              expect(await all(held)).toEqual(model.rolesOf(orgId, userId, at))
            }
            const everybody = PROJECTS.flatMap((projectId) =>
              model
                .whoHas(orgId, projectId, undefined, at)
                .map((holder) => ({ ...holder, projectId })),
            )
            for (const userId of [undefined, ...USERS]) {
              const which = { ...(userId !== undefined && { userId }), ...asOf }
              const holders = items(iam.access.whoHas, { pageSize: 3, ...which }, within)
              expect(await all(holders)).toEqual(
                everybody.filter((holder) => userId === undefined || holder.userId === userId),
              )
            }
          }
        }
      }),
      { numRuns: Math.ceil((HISTORIES / 2) * share) },
    )
  },
)

test.each(HOMES)(
  'after any history, replaying the events that explain names, alone, gives the verdict of the check: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (steps, some) => {
        const { iam, log, now } = await played(steps, open)
        const { position = 0n } = log.at(some % log.length) ?? {}
        for (const at of [timeOf(position), now])
          for (const { orgId, ...ids } of everyCheck)
            for (const roleKey of ROLES) {
              const within = { ...context, orgId }
              const input = { ...ids, roleKey, ...(at < now && { at }) }
              const { because, ...verdict } = await good(iam.access.explain(input, within))
              const { allowed, reasons } = await good(iam.access.check(input, within))
              expect(verdict).toEqual({ allowed, reasons })
              const places = because.map(({ sequence }) => sequence)
              expect(places).toEqual(places.toSorted((one, other) => (one < other ? -1 : 1)))
              const named = log.filter(({ position }) => places.includes(position))
              expect(named).toHaveLength(places.length)
              const alone = new NaiveModel(named).check({ orgId, ...ids }, { roleKey }, at)
              const kinds = byKind({ reasons }).reasons
              expect(byKind(alone).reasons, JSON.stringify({ ids, orgId, roleKey })).toEqual(kinds)
            }
      }),
      { numRuns: Math.ceil(HISTORIES * share) },
    )
  },
)
