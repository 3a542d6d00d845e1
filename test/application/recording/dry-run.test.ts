import { beforeEach, describe, expect, it } from 'vitest'
import type { Context, DryRunContext, EventStore, Planned, Written } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  context,
  good,
  type Iam,
  iamOn,
  refusal,
  setupLink,
  start,
} from '../host.js'
import { writes } from '../method/methods.js'

let store: EventStore
let iam: Iam
let appends: number

beforeEach(async () => {
  const started = start()
  await addAllSamples(started.iam)
  appends = 0
  store = {
    ...started.store,
    append: (append) => {
      appends++
      return started.store.append(append)
    },
  }
  iam = iamOn(store)
})

const dry: DryRunContext & Context = { ...context, dryRun: true } as never

/** What was planned as it then was recorded, but for the seal, which is another each time. */
const withoutSeals = (events: Planned['events']) =>
  events.map(({ type, schemaVersion, data }) => ({
    type,
    schemaVersion,
    data: {
      ...data,
      ...('clientSecret' in data && { clientSecret: 'sealed' }),
      ...('challenge' in data && { challenge: 'drawn' }),
      ...('tokenHash' in data && { tokenHash: 'drawn' }),
    },
  }))

/** Writes that can begin or end the role of a user. */
const CONCERNS_ROLES =
  /^(userGrants|projectGrants|roleMappings|memberships)|^(projects|identityProviders)\.(deactivate|reactivate|remove)|^projectRoles\.remove/

const drawnIn = ({ events }: Written): unknown => Reflect.get(events[0]?.data ?? {}, 'challenge')

describe.each(writes)('A dry run of $name', ({ name, of, input, refuses = [] }) => {
  it('appends nothing, and tells what the write would record', async () => {
    const planned = (await good(of(iam)(input, dry))) as Planned
    expect(appends).toBe(0)
    const isNew = refuses.includes('expectedSequence')
    expect(Object.keys(planned).toSorted()).toEqual([
      'changed',
      'changes',
      ...(isNew ? [] : ['details']),
      'events',
      ...(CONCERNS_ROLES.test(name) ? ['impact'] : []),
      ...(name === 'identityProviders.configureSignIn' ? ['warnings'] : []),
    ])
    const written = (await good(of(iam)(input, context))) as Written
    expect(planned.warnings).toEqual(written.warnings)
    expect(planned.changed).toBe(written.changed)
    expect(withoutSeals(planned.events)).toEqual(withoutSeals(written.events))
    const [last] = written.events.slice(-1)
    const { items } = await good(
      iam.history.list({ after: (last?.position ?? 1n) - BigInt(written.events.length) }, context),
    )
    const recorded = written.changed ? items.flatMap(({ changes }) => changes) : []
    const unplaced = planned.changes.map((change) => ({
      ...change,
      field: change.field.replace(/^roles\[\d\]\./, ''),
      ...(name === 'domains.add' && change.field === 'challenge' && { to: drawnIn(written) }),
    }))
    expect(unplaced).toEqual(recorded)
    if (!written.changed) expect(planned.details).toEqual(written.details)
    expect(appends).toBe(written.changed ? 1 : 0)
  })

  it('is decided on what another process has written', async () => {
    await good(of(iam)(input, dry))
    const other = iamOn(store)
    await good(other.domains.remove({ domain: 'acme.example' }, context))
    await other.domains.add({ domain: 'new.example' }, context)
    await good(other.identityProviders.remove({ idpId: 'google' }, context))
    await good(other.projects.remove({ id: 'portal' }, context))
    await other.setupLinks.issue({ linkId: 'new', ...setupLink }, context)
    await good(other.setupLinks.revoke({ linkId: 'link-1' }, context))
    await other.projects.add({ id: 'new', name: 'taken' }, context)
    await other.identityProviders.addOidc(
      { idpId: 'new', name: 'taken', clientId: 'c', clientSecret: 's', issuer: '' },
      context,
    )
    appends = 0
    if (name === 'setupLinks.revoke') {
      // A link is never removed: it stays on the list when it is over.
      expect(await good(of(iam)(input, dry))).toMatchObject({ changed: false })
      return
    }
    expect((await refusal(of(iam)(input, dry))).kind).toMatch(/^(NotFound|AlreadyExists)$/)
    expect(appends).toBe(0)
  })
})

it('tells the details of the object as it is', async () => {
  const { details } = await good(iam.projects.get({ id: 'portal' }, context))
  const planned = await good(
    iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'n' }, dry),
  )
  expect(planned.details).toEqual(details)
})

it('returns no details of a removed role', async () => {
  const role = { projectId: 'portal', roleKey: 'editor' }
  await good(iam.projectRoles.remove(role, context))
  const planned = await good(iam.projectRoles.add({ ...role, displayName: 'again' }, dry))
  expect(planned).toEqual({
    changed: true,
    events: [expect.anything()],
    changes: [
      { field: 'displayName', to: 'again' },
      { field: 'group', to: '' },
      { field: 'state', to: 'active' },
    ],
  })
})

it('tells the fields of several roles by their places', async () => {
  const roles = [
    { roleKey: 'one', displayName: 'One' },
    { roleKey: 'two', displayName: 'Two', group: 'g' },
  ]
  const planned = await good(
    iam.projectRoles.addMany({ projectId: 'portal', roles }, { ...context, dryRun: true }),
  )
  expect(planned.changes).toEqual([
    { field: 'roles[0].displayName', to: 'One' },
    { field: 'roles[0].group', to: '' },
    { field: 'roles[0].state', to: 'active' },
    { field: 'roles[1].displayName', to: 'Two' },
    { field: 'roles[1].group', to: 'g' },
    { field: 'roles[1].state', to: 'active' },
  ])
})

it('tells the fields of both events of a patch, and of a secret only that it changes', async () => {
  const planned = await good(
    iam.identityProviders.patch(
      { idpId: 'google', name: 'n', issuer: 'i', clientSecret: 's' },
      { ...context, dryRun: true },
    ),
  )
  expect(planned.events).toHaveLength(2)
  expect(planned.changes).toEqual([
    { field: 'name', from: expect.any(String), to: 'n' },
    { field: 'issuer', from: expect.any(String), to: 'i' },
    { field: 'clientSecret', changed: true },
  ])
})

it('A dry run is cancelled while the store is silent about the past of its object', async () => {
  let reads = 0
  const silent = new Promise<never>(() => {})
  const controller = new AbortController()
  const process = iamOn({
    ...store,
    readStream: (...args) => {
      if (++reads === 1) return store.readStream(...args)
      setImmediate(() => controller.abort())
      return silent
    },
  })
  const input = { ...PROJECT_DEFAULTS, id: 'portal', name: 'Other' }
  const within = { ...context, dryRun: true, signal: controller.signal } as const
  expect(await refusal(process.projects.update(input, within))).toEqual({ kind: 'Cancelled' })
})
