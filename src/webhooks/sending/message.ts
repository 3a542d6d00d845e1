import { type HistoryEntry, type JsonObject, toJson } from '../../index.js'

/** The body of a message: a CloudEvent 1.0 in JSON. */
export interface WebhookMessage {
  /** Version of CloudEvents. */
  readonly specversion: '1.0'
  /** Position of the event, as text; the same in each attempt, and in the header `webhook-id`. */
  readonly id: string
  /** As the host says; `claviger` when it says nothing. */
  readonly source: string
  /** Type of the event, such as `project.added`. */
  readonly type: string
  /** Type and ids of the object, percent-encoded, between slashes: `project_role/p1/editor`. */
  readonly subject: string
  /** When it was recorded: RFC 3339, UTC, with milliseconds. */
  readonly time: string
  /** The organization that the object belongs to. */
  readonly orgid: string
  /** Of `data`. */
  readonly datacontenttype: 'application/json'
  /** What `iam.history.list` shows of the event, in the JSON form of `toJson`. */
  readonly data: JsonObject<HistoryEntry>
}

/** The message of an entry of history. */
export const messageOf = (
  entry: HistoryEntry,
  { orgId, source }: { readonly orgId: string; readonly source: string },
): WebhookMessage => ({
  specversion: '1.0',
  id: String(entry.sequence),
  source,
  type: entry.type,
  subject: Object.values(entry.object).map(encodeURIComponent).join('/'),
  time: entry.time.toISOString(),
  orgid: orgId,
  datacontenttype: 'application/json',
  data: toJson(entry),
})
