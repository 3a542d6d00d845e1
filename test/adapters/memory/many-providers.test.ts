import { afterEach, expect, test, vi } from 'vitest'
import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import { logOf } from '../../../src/laws/read-model/harness.js'
import { mappingAdded, reported } from '../../../src/laws/read-model/mapping-samples.js'
import {
  idpAdded,
  idpRemoved,
  projectAdded,
  roleAdded,
} from '../../../src/laws/read-model/object-samples.js'
import { presentAccess } from '../../../src/projections/present-access.js'
import { readEvents } from '../../../src/projections/read-events.js'

const NOW = new Date('2030-01-01')
const ORG = 'acme'
const MAPPING = { idpId: 'idp-0', group: 'staff', projectId: 'app', projectOrgId: ORG }
const ON = { ...MAPPING, resource: 'workspace:42' }

/** So many providers, with a member each; `ada` is a member of the first alone. */
const logWith = (providers: number) => {
  const log = logOf([
    [ORG, projectAdded('app')],
    [ORG, roleAdded('app', 'reader')],
  ])
  for (let index = 0; index < providers; index++) {
    log.record(ORG, idpAdded(`idp-${index}`))
    log.record(ORG, mappingAdded({ ...MAPPING, idpId: `idp-${index}` }, ['reader']))
    log.record(ORG, reported(`idp-${index}`, `user-${index}`, ['staff']))
  }
  log.record(ORG, mappingAdded(ON, ['reader']))
  log.record(ORG, reported('idp-0', 'ada', ['staff']))
  return log
}

const USER = { orgId: ORG, userId: 'ada' }
const QUERY = { ...USER, projectOrgId: ORG, projectId: 'app', resource: 'workspace:42' }
const OF_WORKSPACE = { at: undefined, now: NOW }

/** How often anything is looked up in a map while `work` runs. */
const lookUpsOf = async (work: () => unknown): Promise<number> => {
  const get = vi.spyOn(Map.prototype, 'get')
  const has = vi.spyOn(Map.prototype, 'has')
  await work()
  const count = get.mock.calls.length + has.mock.calls.length
  vi.restoreAllMocks()
  return count
}

afterEach(() => vi.restoreAllMocks())

const FEW = 2
const MANY = 500

test.each(
  Object.entries({
    access: (model) => model.access(QUERY),
    heldRoles: (model) => model.heldRoles({ ...USER, now: NOW, limit: 10 }),
    'impact of a provider': async (model) =>
      model.affected({
        ...{ provider: { orgId: ORG, idpId: 'idp-0' }, at: await model.checkpoint() },
        ...{ now: NOW, limit: 10 },
      }),
  } satisfies Record<string, (model: ReturnType<typeof memoryReadModel>) => unknown>),
)(
  'In memory, %s of a user asks the providers of this user, however many the organization has.',
  async (_, read) => {
    const counts: number[] = []
    for (const providers of [FEW, MANY]) {
      const model = memoryReadModel()
      await model.apply(0n, logWith(providers).events)
      counts.push(await lookUpsOf(() => read(model)))
    }
    expect(counts[1]).toBe(counts[0])
  },
)

test('A live check asks the providers of its user, and none that was removed.', async () => {
  const counts: number[] = []
  for (const providers of [FEW, MANY]) {
    const log = logWith(providers)
    const live = presentAccess()
    for (const event of readEvents(log.events)) live.apply(event)
    const ask = (permission?: string) =>
      live.hasRole(QUERY, { ...(permission && { permission }) }, OF_WORKSPACE)
    expect(ask()).toBe(true)
    counts.push(
      await lookUpsOf(() => {
        ask('none')
        live.access(QUERY)
        live.scopesWith(USER, {}, OF_WORKSPACE)
        live.hasRoleOnResource(QUERY, OF_WORKSPACE)
      }),
    )
    const [removed] = readEvents([log.record(ORG, idpRemoved('idp-0'))])
    if (removed) live.apply(removed)
    expect(ask()).toBe(false)
  }
  expect(counts[1]).toBe(counts[0])
})

test('A user who left all groups, or whose provider was added anew, is a member no more.', () => {
  const log = logWith(FEW)
  const live = presentAccess()
  let position = 0n
  const apply = () => {
    for (const event of readEvents(log.above(position))) live.apply(event)
    position = log.events.at(-1)?.position ?? 0n
    return live.hasRole(QUERY, {}, OF_WORKSPACE)
  }
  expect(apply()).toBe(true)
  log.record(ORG, reported('idp-0', 'ada', []))
  expect(apply()).toBe(false)
  log.record(ORG, reported('idp-0', 'ada', ['staff']))
  expect(apply()).toBe(true)
  log.record(ORG, idpRemoved('idp-0'))
  log.record(ORG, idpAdded('idp-0'))
  log.record(ORG, mappingAdded(MAPPING, ['reader']))
  expect(apply()).toBe(false)
  log.record(ORG, reported('idp-0', 'ada', ['staff']))
  expect(apply()).toBe(true)
  log.record(ORG, reported('idp-0', 'ada', []))
  expect(apply()).toBe(false)
})
