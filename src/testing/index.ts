export type {
  EventClockHarness,
  EventClockLaw,
  EventRecoveryHarness,
  EventRecoveryLaw,
  EventRestoreLaw,
  EventStoreHarness,
  EventStoreLaw,
} from './event-store-laws/harness.js'
export {
  eventClockLaws,
  eventRecoveryLaws,
  eventRestoreLaws,
  eventStoreLaws,
} from './event-store-laws.js'
export { type FixedClock, fixedClock } from './fixed-clock.js'
export { given } from './given.js'
export { BrokenLaw, type Law } from './law.js'
export type { ReadModelHome, ReadModelLaw } from './read-model/law.js'
export { readModelLaws } from './read-model-laws.js'
