import type { WebhookCursors } from '../ports/webhook-cursors.js'
import type { Clock } from './clock.js'

/** Cursors whose calls are rejected after a lease: a connection that is lost without a word must not hold up all else. */
export const boundedCursors = (
  cursors: WebhookCursors,
  { clock, lease }: { readonly clock: Clock; readonly lease: number },
): WebhookCursors => {
  const bounded = async <Value>(answer: Promise<Value>): Promise<Value> => {
    const answered = new AbortController()
    const late = clock.sleep(lease, answered.signal).then(() => {
      throw new Error('The cursors did not answer within a lease')
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      answered.abort()
    }
  }
  return {
    read: (endpoint) => bounded(cursors.read(endpoint)),
    lease: (endpoint, holder, milliseconds) =>
      bounded(cursors.lease(endpoint, holder, milliseconds)),
    write: (endpoint, write) => bounded(cursors.write(endpoint, write)),
    release: (endpoint, holder) => bounded(cursors.release(endpoint, holder)),
  }
}
