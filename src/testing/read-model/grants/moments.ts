import type { ReadModel } from '../../../ports/read-model.js'
import type { ReadModelHome } from '../law.js'
import type { Log } from '../samples/log.js'
import { STORY, storyLog } from './story.js'

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
