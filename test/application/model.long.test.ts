import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type EventStore, timeOf } from '../../src/index.js'
import { searched } from '../nightly.js'
import { clockedStore, context, good, type Iam, iamOn, positionAt } from './host.js'
import { writes } from './method/methods.js'
import { type Effect, type Operation, operations, ReferenceModel } from './reference-model.js'

const within = (orgId: string) => ({ ...context, orgId })

/** What the library makes of a call, as the model tells it. */
const perform = async (iam: Iam, model: ReferenceModel, operation: Operation): Promise<Effect> => {
  const { method, input, orgId, idempotencyKey, dryRun, expected } = operation
  const call = writes.find(({ name }) => name === method)
  if (!call) throw new Error(`No method ${method}`)
  const [type, id] = method.startsWith('projects')
    ? ['project', input['id']]
    : method.startsWith('identity')
      ? ['provider', input['idpId']]
      : ['role', `${input['projectId']}/${input['roleKey']}`]
  const right = model.kept.get(`${orgId}/${type}/${id}`)?.sequence ?? 0n
  const expectedSequence =
    expected === 'nothing' ? undefined : expected === 'right' ? right : right + 1n
  const answer = await call.of(iam)(input, {
    ...within(orgId),
    idempotencyKey,
    dryRun,
    expectedSequence,
  })
  if (answer.isErr()) return { refused: answer.error.kind }
  const { changed, events, details } = answer.value as {
    changed: boolean
    events: readonly unknown[]
    details?: { sequence: bigint; creationDate: Date }
  }
  const said = { changed, events: events.length }
  return details
    ? { ...said, sequence: details.sequence, created: positionAt(details.creationDate) }
    : said
}

/** Everything that `iam` shows of one organization, by place. */
const shownBy = async (iam: Iam, orgId: string) => {
  const shown = new Map<string, object>()
  const at = within(orgId)
  for (const { id, ...project } of (await good(iam.projects.list({}, at))).items) {
    shown.set(`${orgId}/project/${id}`, { id, ...project })
    for (const role of (await good(iam.projectRoles.list({ projectId: id }, at))).items)
      shown.set(`${orgId}/role/${id}/${role.roleKey}`, role)
  }
  for (const provider of (await good(iam.identityProviders.list({}, at))).items) {
    const { idpId } = provider
    const revealed = await good(iam.identityProviders.revealClientSecret({ idpId }, at))
    shown.set(`${orgId}/provider/${idpId}`, { ...provider, ...revealed })
  }
  return shown
}

/** The same, as the model has it. */
const keptBy = (model: ReferenceModel, orgId: string) =>
  new Map(
    [...model.kept].flatMap(([place, { isThere, isActive, fields, created, sequence }]) => {
      const [owner, type, id] = place.split('/')
      const isShown =
        isThere && owner === orgId && (type !== 'role' || model.at(`${orgId}/project/${id}`))
      if (!isShown) return []
      const details = {
        sequence,
        creationDate: timeOf(created),
        changeDate: timeOf(sequence),
        resourceOwner: orgId,
      }
      const state = isActive ? 'active' : 'inactive'
      return [[place, expect.objectContaining({ ...fields, state, details })]]
    }),
  )

const showsWhatIsKept = async (store: EventStore, model: ReferenceModel, iams: readonly Iam[]) => {
  const orgIds = ['acme', 'globex']
  for (const iam of [...iams, iamOn(store)])
    for (const orgId of orgIds) expect(await shownBy(iam, orgId)).toEqual(keptBy(model, orgId))
}

it('does what a plain model does in every process, and replays to the same state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { maxLength: 60, size: 'max' }), async (calls) => {
      const { clock, store } = clockedStore()
      const model = new ReferenceModel()
      const processes = [iamOn(store), iamOn(store)] as const
      let events = 0
      for (const call of calls) {
        clock.advance(1_000)
        const actual = await perform(processes[call.process], model, call)
        const expected = model.perform(call, positionAt(clock()))
        const isPlanned = call.dryRun && !('refused' in expected)
        // A dry run tells the details of what is there; the model keeps those of what was, too.
        if (isPlanned)
          expect(actual).toMatchObject({ changed: expected.changed, events: expected.events })
        else expect(actual).toEqual(withWholeMilliseconds(expected))
        if (!('refused' in expected) && !call.dryRun) events = (await store.readAll(0n, 1e6)).length
      }
      expect((await store.readAll(0n, 1e6)).length).toBe(events)
      await showsWhatIsKept(store, model, processes)
    }),
    { numRuns: searched({ short: 80, nightly: 200 }) },
  )
})

/** Dates know no microseconds. */
const withWholeMilliseconds = (effect: Effect): Effect =>
  'created' in effect && effect.created !== undefined
    ? { ...effect, created: positionAt(timeOf(effect.created)) }
    : effect
