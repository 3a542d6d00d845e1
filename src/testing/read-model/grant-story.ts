import type { AnyEvent } from '../../domain/aggregates.js'
import type { ReadModel } from '../../ports/read-model.js'
import {
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  projectGrantRemoved,
  projectGrantUpdated,
  userGrantAdded,
  userGrantDeactivated,
  userGrantReactivated,
  userGrantRemoved,
  userGrantUpdated,
} from './grant-samples.js'
import { type Log, newLog, type ReadModelHome } from './harness.js'
import {
  PROJECT_CHANGES,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from './object-samples.js'

/** The end of the roles in the story that have one. */
export const END = '2030-01-02T03:04:05.006Z'

/** Before and after {@link END}. */
export const BEFORE_END = new Date('2030-01-02T03:04:05.005Z')
export const AT_END = new Date(END)

const [, deactivated, reactivated] = PROJECT_CHANGES.map(([event]) => event)

/** A user's grant of the project `portal` of the organization `acme`. */
export const grantOf = (userId: string) => ({ userId, projectId: 'portal', projectOrgId: 'acme' })

/** An event of an organization, and who holds which role of `acme`'s `portal` from then on, at {@link BEFORE_END}. */
type Step = readonly [orgId: string, event: AnyEvent, holders: readonly string[]]

const OWN = 'reader acme/ann'
const BOTH = [OWN, 'reader globex/bob', 'writer globex/bob']

/** Every way in which a role begins to count, stops for a time, and ends for ever. Holders are in order. */
export const STORY: readonly Step[] = [
  ['acme', projectAdded('portal'), []],
  ['acme', roleAdded('portal', 'reader', { displayName: 'Reader', group: 'all' }), []],
  ['acme', roleAdded('portal', 'writer'), []],
  ['acme', userGrantAdded(grantOf('ann'), ['reader']), [OWN]],
  ['acme', projectGrantAdded('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantAdded(grantOf('bob'), ['reader', ['writer', END]]), BOTH],
  // The same names elsewhere.
  ['other', projectAdded('portal'), BOTH],
  ['other', roleAdded('portal', 'reader'), BOTH],
  ['other', userGrantAdded({ ...grantOf('ann'), projectOrgId: 'other' }, ['reader']), BOTH],
  ['globex', userGrantAdded({ ...grantOf('bob'), projectOrgId: 'globex' }, ['reader']), BOTH],
  ['other', roleRemoved('portal', 'reader'), BOTH],
  // What is inactive does not count, and ends nothing.
  ['globex', userGrantDeactivated(grantOf('bob')), [OWN]],
  ['acme', projectGrantDeactivated('portal', 'globex'), [OWN]],
  ['globex', userGrantReactivated(grantOf('bob')), [OWN]],
  ['acme', projectGrantReactivated('portal', 'globex'), BOTH],
  ...(deactivated && reactivated
    ? ([
        ['acme', deactivated, []],
        ['acme', reactivated, BOTH],
      ] as const)
    : []),
  // Another end of a role; the role goes on.
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), BOTH],
  // A role that is removed and added again is another one.
  ['acme', roleRemoved('portal', 'reader'), ['writer globex/bob']],
  ['acme', roleAdded('portal', 'reader'), ['writer globex/bob']],
  ['acme', userGrantUpdated(grantOf('ann'), ['reader']), [OWN, 'writer globex/bob']],
  // So is one that is taken from the grant of the project, and put back.
  ['acme', projectGrantUpdated('portal', 'globex', ['reader']), [OWN]],
  ['acme', projectGrantUpdated('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), BOTH],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader']), BOTH.slice(0, 2)],
  // And one of a grant that is removed, and added again.
  ['acme', projectGrantRemoved('portal', 'globex'), [OWN]],
  ['acme', projectGrantAdded('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), BOTH],
  ['globex', userGrantDeactivated(grantOf('bob')), [OWN]],
  ['globex', userGrantRemoved(grantOf('bob')), [OWN]],
  ['globex', userGrantAdded(grantOf('bob'), ['writer']), [OWN, 'writer globex/bob']],
  [
    'globex',
    userGrantAdded(grantOf('cid'), ['writer']),
    [OWN, 'writer globex/bob', 'writer globex/cid'],
  ],
  ['acme', projectRemoved('portal'), []],
]

/** The log of {@link STORY}. */
export const storyLog = (): Log => {
  const log = newLog()
  for (const [orgId, event] of STORY) log.record(orgId, event)
  return log
}

/** Runs `check` after each event of the story, which was applied alone, and then with all before it. */
export const afterEach = async (
  { open }: ReadModelHome,
  check: (model: ReadModel, index: number, log: Log) => Promise<void>,
): Promise<void> => {
  const log = storyLog()
  const model = await open()
  for (const [index, event] of log.events.entries()) {
    await model.apply(await model.checkpoint(), [event])
    await check(model, index, log)
  }
  for (const index of log.events.keys()) {
    await model.reset()
    await model.apply(0n, log.events.slice(0, index + 1))
    await check(model, index, log)
  }
}

/** Who holds which role after the event of the story with that index. */
export const expectedAt = (index: number): readonly string[] => STORY[index]?.[2] ?? []

/** The model after the event of {@link STORY} that comes `count`th. */
export const modelAfter = async ({ open }: ReadModelHome, count: number): Promise<ReadModel> => {
  const model = await open()
  await model.apply(0n, storyLog().events.slice(0, count))
  return model
}

/** Number of the first events of the story after which `globex` has grants and nothing has ended. */
export const COMPLETE = 10
