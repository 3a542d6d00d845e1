import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.js'
import { addAllSamples, context, good, type Iam, iamOn, logOf, refusal, start } from '../host.js'
import { writes } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const google = { idpId: 'google' }

describe('What is remembered', () => {
  /** Lets a process remember everything as it is. */
  const remembering = async (): Promise<Iam> => {
    const process = iamOn(store)
    for (const { of, input } of writes) await of(process)(input, { ...context, dryRun: true })
    return process
  }

  it.each(writes.filter(({ refuses = [] }) => refuses.length === 0))(
    'never makes something not found that is there, or found that is gone: $name',
    async ({ of, input }) => {
      const process = await remembering()
      await good(iam.projectRoles.remove(editor, context))
      if ('roleKey' in input) {
        expect(await refusal(of(process)(input, context))).toMatchObject({ kind: 'NotFound' })
        await good(iam.projectRoles.add({ ...editor, displayName: 'again' }, context))
        await good(of(process)(input, context))
        return
      }
      await good(iam.domains.remove({ domain: 'acme.example' }, context))
      await good(iam.projects.remove(portal, context))
      await good(iam.identityProviders.remove(google, context))
      expect(await refusal(of(process)(input, context))).toMatchObject({ kind: 'NotFound' })
    },
  )

  it('never makes a change one that changes nothing', async () => {
    const process = await remembering()
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'other' }, context))
    await good(iam.projectRoles.update({ group: '', ...editor, displayName: 'other' }, context))
    await good(
      iam.identityProviders.update({ ...PROVIDER_DEFAULTS, ...google, name: 'other' }, context),
    )
    await good(iam.identityProviders.deactivate(google, context))
    await good(iam.projects.deactivate(portal, context))
    const back = [
      process.projects.reactivate(portal, context),
      process.identityProviders.reactivate(google, context),
      process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'Portal' }, context),
      process.projectRoles.update({ ...editor, displayName: 'Editor', group: 'content' }, context),
      process.identityProviders.update(
        { ...PROVIDER_DEFAULTS, ...google, name: 'Google' },
        context,
      ),
    ]
    for (const call of back) expect((await call)._unsafeUnwrap().changed).toBe(true)
  })

  it('never makes a key taken that is free, or free that is taken', async () => {
    const process = await remembering()
    await good(iam.projectRoles.remove(editor, context))
    await good(process.projectRoles.add({ ...editor, displayName: 'again' }, context))
    expect(
      await refusal(iam.projectRoles.add({ ...editor, displayName: 'twice' }, context)),
    ).toMatchObject({ kind: 'AlreadyExists' })
    await good(iam.projects.add({ id: 'new', name: 'n' }, context))
    expect(await refusal(process.projects.add({ id: 'new', name: 'n' }, context))).toMatchObject({
      kind: 'AlreadyExists',
    })
  })

  it('spares the reads: a second change of an object only appends', async () => {
    const asked: string[] = []
    const process = iamOn({
      ...store,
      readStream: (stream, after) => {
        asked.push(stream)
        return store.readStream(stream, after)
      },
    })
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'one' }, context))
    expect(asked).toEqual(['project-acme+portal'])
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'two' }, context))
    await good(process.projectRoles.add({ ...editor, roleKey: 'new', displayName: 'd' }, context))
    expect(asked).toEqual(['project-acme+portal'])
  })
})

describe('What is remembered of answers that a failover lost', () => {
  let process: Iam
  let kept: bigint
  /** What `process` is bound to: the store that it knows, until that fails. */
  let current: EventStore

  const moving: EventStore = {
    append: (append) => current.append(append),
    readStream: (stream, after) => current.readStream(stream, after),
    readAll: (after, limit) => current.readAll(after, limit),
    lastPosition: () => current.lastPosition(),
    findAppend: (by) => current.findAppend(by),
  }

  beforeEach(async () => {
    current = store
    process = iamOn(moving)
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'kept' }, context))
    kept = await store.lastPosition()
  })

  /** Goes on with a copy that ends where the last one that `process` is to know of does. */
  const failOver = async (): Promise<Iam> => {
    const copy = memoryEventStore()
    await copy.restore((await logOf(store)).filter(({ position }) => position <= kept))
    current = copy
    return iamOn(copy)
  }

  it('ends with the first race that it loses', async () => {
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'lost' }, context))
    await failOver()
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'after' }, context))
    const names = (await current.readStream('project-acme+portal')).map(({ data }) =>
      Reflect.get(data, 'name'),
    )
    expect(names).toEqual(['Portal', 'kept', 'after'])
  })

  it('refuses nothing', async () => {
    await good(process.projects.remove(portal, context))
    await failOver()
    const { changed } = await good(
      process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'after' }, context),
    )
    expect(changed).toBe(true)
  })

  it('refuses nothing of an object whose first event was lost', async () => {
    await good(process.projects.add({ id: 'new', name: 'lost' }, context))
    await good(
      process.projects.update({ ...PROJECT_DEFAULTS, id: 'new', name: 'lost too' }, context),
    )
    await failOver()
    expect(
      await refusal(
        process.projects.update({ ...PROJECT_DEFAULTS, id: 'new', name: 'n' }, context),
      ),
    ).toMatchObject({ kind: 'NotFound' })
    await good(process.projects.add({ id: 'new', name: 'again' }, context))
    await good(process.projects.update({ ...PROJECT_DEFAULTS, id: 'new', name: 'after' }, context))
  })

  it('makes no change one that changes nothing', async () => {
    await good(process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'wanted' }, context))
    const other = await failOver()
    await good(
      other.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'meanwhile' }, context),
    )
    const wanted = { ...PROJECT_DEFAULTS, ...portal, name: 'wanted' }
    expect((await good(process.projects.update(wanted, context))).changed).toBe(true)
  })

  it('decides no dry run', async () => {
    await good(process.projects.remove(portal, context))
    await failOver()
    const dryRun = { ...context, dryRun: true } as const
    const planned = await good(
      process.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'after' }, dryRun),
    )
    expect(planned.changed).toBe(true)
  })
})
