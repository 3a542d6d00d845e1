import { MAX_TEXT_LENGTH } from '../../domain/values.js'

/** What JSON Schema can say of a text that may be empty; the rest is checked as it is read. */
export const SHORT = { maxLength: MAX_TEXT_LENGTH }

/** {@link SHORT}, for a text that may not be empty. */
export const FILLED = { minLength: 1, ...SHORT }
