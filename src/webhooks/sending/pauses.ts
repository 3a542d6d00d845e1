/** First pause before a message is sent again, in milliseconds. */
const FIRST_MS = 1_000

/** Longest pause, also where a receiver asks for a longer one. */
export const LONGEST_PAUSE_MS = 3_600_000

/** How long a message is sent again, from its first failure, before the endpoint is suspended. */
export const RETRY_FOR_MS = 3 * 24 * 3_600_000

/**
 * The pause after a number of failures in a row: it doubles from a second to an hour, of which a random half is left
 * out. A receiver may ask for a longer one, up to an hour.
 */
export const pauseAfter = (
  failures: number,
  { random, retryAfter = 0 }: { readonly random: number; readonly retryAfter?: number },
): number => {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20))
  return Math.max(longest * (0.5 + random / 2), Math.min(retryAfter, LONGEST_PAUSE_MS))
}

/** `Retry-After` in milliseconds: seconds or a date; 0 when it is neither. */
export const retryAfterOf = (header: string | null, now: number): number => {
  if (header === null) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
