import { beforeEach, expect, it } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { addSamples, context, good, type Iam, iamOn, logOf, refusal, withAppend } from '../host.js'

let store: ReturnType<typeof memoryEventStore>
let other: Iam

beforeEach(async () => {
  store = memoryEventStore()
  other = iamOn(store)
  await addSamples(other)
})

/** A process in which `first` happens right before its first append, and which thereby loses the race. */
const raced = (first: () => Promise<unknown>): Iam => {
  let appends = 0
  return iamOn(
    withAppend(store, async (append, send) => {
      if (appends++ === 0) await first()
      return send(append)
    }),
  )
}

it('the expected sequence is checked again', async () => {
  const { details } = await good(other.projects.get({ id: 'portal' }, context))
  const expectedSequence = details.sequence
  let actual = 0n
  const iam = raced(async () => {
    const moved = await good(other.projects.patch({ id: 'portal', name: 'Moved' }, context))
    actual = moved.details.sequence
  })
  const patch = { id: 'portal', name: 'Mine' }
  const call = iam.projects.patch(patch, { ...context, expectedSequence })
  expect(await refusal(call)).toEqual({
    kind: 'SequenceMismatch',
    expected: expectedSequence,
    actual,
  })
  expect((await logOf(store)).at(-1)?.position).toBe(actual)
})

it('protection is checked again', async () => {
  const protecting = raced(() =>
    good(
      other.apply(
        { managedBy: 'code', protect: true, projects: [{ id: 'portal', name: 'Declared' }] },
        context,
      ),
    ),
  )
  const patch = { id: 'portal', name: 'Mine' }
  expect(await refusal(protecting.projects.patch(patch, context))).toEqual({
    kind: 'Protected',
    managedBy: 'code',
  })
  expect((await good(other.projects.get({ id: 'portal' }, context))).name).toBe('Declared')
})
