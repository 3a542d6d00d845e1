import type { AnyEvent } from '../../domain/aggregates.js'
import { timeOf } from '../../ports/event-store.js'
import type { SignInRoute } from '../../ports/read-model.js'
import { demandEqual, lawsOf, spoil } from '../law.js'
import { found } from './founding.js'
import { ACCESS, AFFECTED, HELD_ROLES, HOLDERS } from './grant-samples.js'
import { fedWith, feed, newLog, type ReadModelHome } from './harness.js'
import {
  DOMAIN,
  domainAdded,
  domainClaimed,
  domainProviderSet,
  domainRemoved,
  domainVerified,
  idpAdded,
  idpDeactivated,
  idpReactivated,
  idpRemoved,
  PROJECT_CHANGES,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import {
  FIRST_EVENTS,
  listOf,
  logBefore,
  play,
  portalWith,
  project,
  ROLES,
  role,
  SCENARIOS,
  TYPES,
} from './samples.js'

/** Laws of `get`, of where users sign in, and of the events of no object that guard verified domains. */
export const getLaws = lawsOf<ReadModelHome>({
  'An object has all fields that its events record, except secrets; one added again is new.':
    async (home) => {
      for (const scenario of SCENARIOS) {
        const { ref } = scenario
        const log = logBefore(scenario)
        const model = await fedWith(home, log)
        const query = listOf(ref.type)
        const lists = async () => [
          (await model.list(query)).items,
          (await model.list({ ...query, orgId: 'other' })).items,
        ]
        const [neighbours = [], strangers] = await lists()
        for (const { event, row } of play(log, scenario)) {
          const listed = row === undefined ? neighbours : [row, ...neighbours]
          const demandShown = async (how: string) => {
            const what = `after ${event.type}, applied ${how}`
            demandEqual(what, await model.get('acme', ref), row)
            demandEqual(`lists ${what}`, await lists(), [listed, strangers])
          }
          await model.apply(await model.checkpoint(), [event])
          await demandShown('alone')
          await model.reset()
          await model.apply(0n, log.events.slice(0, log.events.indexOf(event) + 1))
          await demandShown('with all before it')
        }
      }
    },
  'A key that begins with U+FEFF keeps it.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    const keys = ['admin', '\ufeffadmin']
    for (const roleKey of keys) log.record('acme', roleAdded('portal', roleKey))
    const model = await fedWith(home, log)
    const { items } = await model.list(ROLES)
    demandEqual(
      'the list',
      items.map(({ roleKey }) => roleKey),
      keys,
    )
    const query = { orgId: 'acme', types: ['project_role.added'], after: 0n, limit: 10 }
    const entries = await model.history(query)
    demandEqual(
      'the history',
      entries.map(({ object }) => object),
      keys.map((key) => role('portal', key)),
    )
  },
  'A role is found and listed until its project is removed.': async (home) => {
    for (const batches of [1, 2]) {
      const log = newLog()
      log.record('acme', projectAdded('portal'))
      const editor = log.record('acme', roleAdded('portal', 'editor'))
      const changed = PROJECT_CHANGES.map(([event]) => log.record('acme', event)).at(-1)
      const current = log.record('acme', roleAdded('portal', 'kept'))
      for (const [orgId, projectId] of OTHERS) {
        log.record(orgId, projectAdded(projectId))
        log.record(orgId, roleAdded(projectId, 'editor'))
      }
      const model = await home.open()
      if (batches === 2) {
        await feed(model, log)
        const last = [
          [project('portal'), changed],
          [role('portal', 'editor'), editor],
          [role('portal', 'kept'), current],
        ] as const
        for (const [ref, event] of last) {
          const row = await model.get<typeof ref.type>('acme', ref)
          demandEqual('the last event of it', row?.details.sequence, event?.position)
        }
      }
      log.record('acme', roleRemoved('portal', 'kept'))
      log.record('acme', roleAdded('portal', 'kept'))
      log.record('acme', projectRemoved('portal'))
      await feed(model, log)
      for (const roleKey of ['kept', 'editor']) {
        demandEqual(roleKey, await model.get('acme', role('portal', roleKey)), undefined)
      }
      demandEqual('number of its roles', (await model.list(ROLES)).totalSize, 0)
      for (const [orgId, projectId] of OTHERS) {
        const own = await model.get(orgId, role(projectId, 'editor'))
        const { items } = await model.list({ ...ROLES, orgId, projectId })
        demandEqual('the roles of another project', items, [own])
      }
    }
  },
  'Objects changed by one batch keep their own fields.': async (home) => {
    const log = newLog()
    for (const orgId of ['acme', 'other']) log.record(orgId, projectAdded('portal'))
    for (const [orgId, key] of ALIKE) log.record(orgId, roleAdded('portal', key))
    const model = await fedWith(home, log)
    const roleOf = (orgId: string, key: string) =>
      model.get<'project_role'>(orgId, role('portal', key))
    const before = await Promise.all(ALIKE.map(([orgId, key]) => roleOf(orgId, key)))
    const shownOf = (orgId: string, key: string) => ({ displayName: `${key} of ${orgId}` })
    const events = ALIKE.map(([orgId, key]) =>
      log.record(orgId, roleUpdated('portal', key, shownOf(orgId, key))),
    )
    await feed(model, log)
    for (const [index, [orgId, key]] of ALIKE.entries()) {
      const sequence = events[index]?.position ?? 0n
      const details = { ...before[index]?.details, sequence, changeDate: timeOf(sequence) }
      const after = { ...before[index], ...shownOf(orgId, key), details }
      demandEqual(`${key} of ${orgId}`, await roleOf(orgId, key), after)
    }
  },
  'Keys are compared code point by code point.': async (home) => {
    const keys = [
      'Editor',
      'editor',
      'é',
      'e\u0301',
      'a+b',
      'a',
      '😀',
      '\'%_\\"',
      ' a',
      'ß',
      'SS',
      '__proto__',
    ]
    const model = await fedWith(home, portalWith(keys))
    for (const key of keys) {
      const { displayName } = (await model.get<'project_role'>('acme', role('portal', key))) ?? {}
      demandEqual(`role ${key}`, displayName, key)
    }
    for (const key of ['EDITOR', 'a ', 'b', 'a+', '%', '\ud83d', '', 'constructor']) {
      demandEqual(`role ${key}`, await model.get('acme', role('portal', key)), undefined)
    }
  },
  'An object of another organization is not found.': async (home) => {
    const log = newLog()
    for (const event of FIRST_EVENTS) found(log, 'acme', event)
    const model = await fedWith(home, log)
    for (const orgId of ['acm', 'acme2', 'ACME', 'acme+portal', '', '%']) {
      for (const { ref } of SCENARIOS) {
        demandEqual(`${ref.type} in ${orgId}`, await model.get(orgId, ref), undefined)
      }
    }
  },
  'Changing a returned value changes nothing stored.': async (home) => {
    const log = newLog()
    for (const event of FIRST_EVENTS) found(log, 'acme', event)
    const model = await fedWith(home, log)
    const reads = [
      ...SCENARIOS.map(
        ({ ref }) =>
          () =>
            model.get('acme', ref),
      ),
      ...TYPES.map((type) => () => model.list(listOf(type))),
      () => model.access(ACCESS),
      () => model.heldRoles(HELD_ROLES),
      () => model.holders(HOLDERS),
      () => model.affected(AFFECTED),
      () => model.history({ orgId: 'acme', after: 0n, limit: 10 }),
    ]
    for (const read of reads) {
      const answer = await read()
      const before = structuredClone(answer)
      spoil(answer)
      demandEqual('the answer to the same question', await read(), before)
    }
  },
  'Users sign in with the active provider of the organization that verified their domain.': async (
    home,
  ) => {
    const log = newLog()
    const model = await home.open()
    for (const [orgId, event, route] of STORY) {
      log.record(orgId, event)
      await feed(model, log)
      demandEqual(`route after ${event.type} of ${orgId}`, await model.route(DOMAIN), route)
      demandEqual('route of another domain', await model.route(`x.${DOMAIN}`), undefined)
    }
    const atOnce = await fedWith(home, log)
    demandEqual('route', await atOnce.route(DOMAIN), undefined)
  },
  'An event without an object only moves the checkpoint.': async (home) => {
    const log = newLog()
    log.record('acme', domainAdded(DOMAIN))
    const model = await fedWith(home, log)
    const ref = { type: 'domain', domain: DOMAIN } as const
    const everything = async () => [
      await model.get('acme', ref),
      await model.history({ orgId: 'acme', after: 0n, limit: 10 }),
    ]
    const before = await everything()
    const { position } = log.record('acme', domainClaimed(DOMAIN, 'acme'))
    await feed(model, log)
    demandEqual('what is read', await everything(), before)
    demandEqual('checkpoint', await model.checkpoint(), position)
    log.record('acme', domainVerified(DOMAIN))
    await feed(model, log)
    demandEqual('state', (await model.get('acme', ref))?.state, 'verified')
  },
})

/** Projects that are easily taken for `portal` of `acme`. */
const OTHERS = [
  ['acme', 'portal2'],
  ['other', 'portal'],
] as const

/** Roles that are easily taken for each other. */
const ALIKE = [
  ['acme', 'editor'],
  ['acme', 'viewer'],
  ['other', 'editor'],
] as const

const ACME: SignInRoute = { orgId: 'acme', idpId: 'google' }
const OTHER: SignInRoute = { orgId: 'other', idpId: 'google' }

/** An event of an organization, and where users of {@link DOMAIN} sign in after it. */
const STORY: readonly (readonly [
  orgId: string,
  event: AnyEvent,
  route: SignInRoute | undefined,
])[] = [
  ['acme', idpAdded('google'), undefined],
  ['other', idpAdded('google'), undefined],
  ['acme', domainAdded(DOMAIN), undefined],
  ['other', domainAdded(DOMAIN), undefined],
  ['other', domainProviderSet(DOMAIN, 'google'), undefined],
  ['acme', domainProviderSet(DOMAIN, 'google'), undefined],
  ['acme', domainVerified(DOMAIN), ACME],
  ['acme', idpDeactivated('google'), undefined],
  ['acme', idpReactivated('google'), ACME],
  ['acme', domainProviderSet(DOMAIN, 'unknown'), undefined],
  ['acme', domainProviderSet(DOMAIN), undefined],
  ['acme', domainProviderSet(DOMAIN, 'google'), ACME],
  ['other', domainRemoved(DOMAIN), ACME],
  ['other', domainAdded(DOMAIN), ACME],
  ['acme', domainRemoved(DOMAIN), undefined],
  ['other', domainProviderSet(DOMAIN, 'google'), undefined],
  ['other', domainVerified(DOMAIN), OTHER],
  ['acme', domainAdded(DOMAIN), OTHER],
  ['acme', domainProviderSet(DOMAIN, 'google'), OTHER],
  ['other', idpRemoved('google'), undefined],
]
