export { eventClockLaws } from './event-store/concurrency.js'
export { eventStoreLaws } from './event-store/event-store-laws.js'
export type {
  EventClockHarness,
  EventClockLaw,
  EventRecoveryHarness,
  EventRecoveryLaw,
  EventRestoreLaw,
  EventStoreHarness,
  EventStoreLaw,
} from './event-store/harness.js'
export { eventRecoveryLaws, eventRestoreLaws } from './event-store/reading.js'
export { type FixedClock, fixedClock } from './fixed-clock.js'
export { given } from './given.js'
export { BrokenLaw, type Law } from './law.js'
export type { ReadModelHome, ReadModelLaw } from './read-model/harness.js'
export { readModelLaws } from './read-model/read-model-laws.js'
export {
  type WebhookCursorLaw,
  type WebhookCursorsHome,
  webhookCursorLaws,
} from './webhook-cursor-laws.js'
