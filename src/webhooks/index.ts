export { isPrivateAddress } from '../network/address.js'
export type { NetworkReason } from '../network/fault.js'
export type { FoundAddress, NetworkOptions } from '../network/request.js'
export type {
  CursorWrite,
  ListedCursors,
  StoredCursor,
  WebhookCursors,
} from '../ports/webhook-cursors.js'
export { memoryCursors, type SuspensionReason } from './cursors.js'
export { type EndpointFields, InvalidEndpoint, type WebhookEndpoint } from './endpoint.js'
export type { Delivery, DeliveryOutcome, WebhookFault, WebhookOptions } from './options.js'
export type { WebhookMessage } from './send-message.js'
export type {
  EndpointStatus,
  HeldStatus,
  RedeliverInput,
  StatusInput,
} from './status-and-redeliver.js'
export { type RunOptions, type Webhooks, webhooks } from './webhooks.js'
