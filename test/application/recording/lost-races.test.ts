import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { type EventStore, toStatus } from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  refusal,
  setupLink,
  start,
  withAppend,
} from '../host.js'
import { writes } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

afterEach(() => {
  vi.useRealTimers()
})

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const google = { idpId: 'google' }

/** `store` where, right before each of the first `times` appends, somebody does `first`. */
const withRace = (first: () => Promise<unknown>, times = 1): EventStore => {
  let races = 0
  return withAppend(store, async (append, send) => {
    if (races++ < times) await first()
    return send(append)
  })
}

/** A reactivation of what is active changes nothing, so it has no race to lose. */
const changes = writes.filter(({ name }) => !name.endsWith('.reactivate'))

/** A link is never removed: it stays on the list when it is over. */
const losing = changes.filter(({ name }) => name !== 'setupLinks.revoke')

describe('A lost race', () => {
  it.each(changes)('is decided anew: $name after an unrelated change', async ({ of, input }) => {
    const other = iamOn(store)
    await of(iam)(input, { ...context, dryRun: true })
    const racing = withRace(async () => {
      await good(
        other.identityProviders.updateOidcConfig(
          { ...OIDC_DEFAULTS, ...google, clientId: 'raced', issuer: 'i' },
          context,
        ),
      )
      await good(other.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'raced' }, context))
      await good(other.projectRoles.update({ group: '', ...editor, displayName: 'raced' }, context))
    })
    const written = await good(of(iamOn(racing))(input, context))
    expect(written).toMatchObject({ changed: true })
    const [last] = (await logOf(store)).slice(-1)
    expect((written as { details: unknown }).details).toMatchObject({ sequence: last?.position })
  })

  it.each(losing)(
    'ends in what is true then: $name after all is gone',
    async ({ of, input, name }) => {
      const other = iamOn(store)
      const racing = withRace(async () => {
        await good(other.domains.remove({ domain: 'acme.example' }, context))
        await good(other.domains.add({ domain: 'new.example' }, context))
        await good(other.setupLinks.issue({ linkId: 'new', ...setupLink }, context))
        await good(other.projectRoles.remove(editor, context))
        await good(other.projects.remove(portal, context))
        await good(other.identityProviders.remove(google, context))
        await good(other.projects.add({ id: 'new', name: 'first' }, context))
        await good(
          other.identityProviders.addOidc(
            { idpId: 'new', name: 'first', clientId: 'c', clientSecret: 's', issuer: '' },
            context,
          ),
        )
      })
      const error = await refusal(of(iamOn(racing))(input, context))
      const isAdd = /\.(add|addOidc|issue)$/.test(name) && !/Roles|Grants|Mappings/.test(name)
      expect(error.kind).toBe(isAdd ? 'AlreadyExists' : 'NotFound')
      expect((await logOf(store)).at(-1)?.data).toMatchObject({ name: 'first' })
    },
  )

  it('ends in what is true then: a link that was revoked meanwhile stays as it is', async () => {
    const link = { linkId: 'link-1' }
    const racing = withRace(() => good(iamOn(store).setupLinks.revoke(link, context)))
    const { changed } = await good(iamOn(racing).setupLinks.revoke(link, context))
    expect(changed).toBe(false)
  })

  it.each([
    ['update', () => iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'n' }, context)],
    ['deactivate', () => iam.projects.deactivate(portal, context)],
  ])('may turn out to have nothing left to change: %s', async (name, raced) => {
    const racing = iamOn(withRace(() => good(raced())))
    const call =
      name === 'update'
        ? racing.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'n' }, context)
        : racing.projects.deactivate(portal, context)
    const before = (await logOf(store)).length
    const { details } = await good(call)
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ details })
    expect(await logOf(store)).toHaveLength(before + 1)
  })

  /** Loses a race before each of the first `times` appends of an update of the project. */
  const updateAfter = (times: number) => {
    let races = 0
    const racing = withRace(async () => {
      await good(iam.projects.patch({ ...portal, name: `raced ${++races}` }, context))
    }, times)
    return iamOn(racing).projects.patch({ ...portal, name: 'n' }, context)
  }

  it('is won at the hundredth attempt', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const settled = vi.fn()
    const updated = good(updateAfter(99))
    void updated.then(settled, settled)
    while (settled.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(50)
    await updated
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ name: 'n' })
  })

  it('is decided anew for ten seconds, then reported', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const begin = performance.now()
    const settled = vi.fn()
    const refused = refusal(updateAfter(Number.POSITIVE_INFINITY))
    void refused.then(settled)
    while (performance.now() - begin < 9_900) await vi.advanceTimersByTimeAsync(10)
    expect(settled).not.toHaveBeenCalled()
    while (settled.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(10)
    expect(performance.now() - begin).toBeLessThan(10_200)
    const error = await refused
    expect(error).toMatchObject({ kind: 'Aborted' })
    expect(toStatus(error).code).toBe(10)
  })

  it('is decided anew no longer than the call lasts', async () => {
    const controller = new AbortController()
    let races = 0
    const racing = withRace(async () => {
      await good(iam.projects.patch({ ...portal, name: `raced ${++races}` }, context))
      if (races === 20) controller.abort()
    }, Number.POSITIVE_INFINITY)
    const within = { ...context, signal: controller.signal }
    const error = await refusal(iamOn(racing).projects.patch({ ...portal, name: 'n' }, within))
    expect(error).toEqual({ kind: 'Cancelled' })
    expect(races).toBe(20)
  })

  it('for a role key has one winner', async () => {
    const key = { projectId: 'portal', roleKey: 'new' }
    const racing = withRace(() => good(iam.projectRoles.add({ ...key, displayName: 'A' }, context)))
    expect(
      await refusal(iamOn(racing).projectRoles.add({ ...key, displayName: 'B' }, context)),
    ).toEqual({ kind: 'AlreadyExists', object: { type: 'project_role', ...key } })
    expect(await good(iam.projectRoles.get(key, context))).toMatchObject({ displayName: 'A' })
  })

  it('against the removal of the project leaves no role', async () => {
    const racing = iamOn(withRace(() => good(iam.projects.remove(portal, context))))
    const gone = { kind: 'NotFound', object: { type: 'project', id: 'portal' } }
    const late = { projectId: 'portal', roleKey: 'late', displayName: 'd' }
    expect(await refusal(racing.projectRoles.add(late, context))).toEqual(gone)
    const many = { projectId: 'portal', roles: [{ roleKey: 'later', displayName: 'd' }] }
    expect(await refusal(racing.projectRoles.addMany(many, context))).toEqual(gone)
    expect((await logOf(store)).at(-1)?.type).toBe('project.removed')
  })

  it('against the removal of the project leaves none of several roles', async () => {
    const racing = iamOn(withRace(() => good(iam.projects.remove(portal, context))))
    const roles = ['a', 'b'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    const adding = racing.projectRoles.addMany({ projectId: 'portal', roles }, context)
    expect(await refusal(adding)).toMatchObject({ kind: 'NotFound' })
    expect((await logOf(store)).at(-1)?.type).toBe('project.removed')
  })

  it('of several roles against one of them adds none', async () => {
    const racing = withRace(() =>
      good(iam.projectRoles.add({ ...editor, roleKey: 'b', displayName: 'first' }, context)),
    )
    const roles = ['a', 'b', 'c'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    const before = (await logOf(store)).length
    expect(
      await refusal(iamOn(racing).projectRoles.addMany({ projectId: 'portal', roles }, context)),
    ).toMatchObject({ kind: 'AlreadyExists', object: { roleKey: 'b' } })
    expect(await logOf(store)).toHaveLength(before + 1)
  })
})

describe('A project that is changed without a pause', () => {
  const roles = ['a', 'b', 'c'].map((roleKey) => ({ projectId: 'portal', roleKey }))

  it.each<[string, (process: Iam, role: (typeof roles)[number]) => ReturnType<typeof good>]>([
    ['added', (to, role) => good(to.projectRoles.add({ ...role, displayName: 'd' }, context))],
    [
      'updated',
      (to, role) => good(to.projectRoles.update({ group: '', ...role, displayName: 'n' }, context)),
    ],
    ['removed', (to, role) => good(to.projectRoles.remove(role, context))],
  ])('keeps no role of it from being %s', async (what, change) => {
    await using opened = openSqlite(':memory:')
    const process = iamOn(opened.store)
    await good(process.projects.add({ ...portal, name: 'Portal' }, context))
    if (what !== 'added')
      for (const role of roles)
        await good(process.projectRoles.add({ ...role, displayName: 'd' }, context))
    let isDone = false
    const updating = async () => {
      for (let n = 0; !isDone; n++)
        await good(
          process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: `name ${n}` }, context),
        )
    }
    const changing = async () => {
      try {
        for (const role of roles) await change(process, role)
      } finally {
        isDone = true
      }
    }
    await Promise.all([updating(), changing()])
  })
})
