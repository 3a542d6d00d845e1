export { eventClockLaws } from './event-store/clock.js'
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
export { eventRecoveryLaws } from './event-store/recovery.js'
export { eventRestoreLaws } from './event-store/restore.js'
export { type FixedClock, fixedClock } from './fixed-clock.js'
export { given } from './given.js'
export { BrokenLaw, type Law } from './law.js'
export type { ReadModelHome, ReadModelLaw } from './read-model/law.js'
export { readModelLaws } from './read-model/read-model-laws.js'
export {
  type WebhookCursorLaw,
  type WebhookCursorsHome,
  webhookCursorLaws,
} from './webhook-cursor-laws.js'
