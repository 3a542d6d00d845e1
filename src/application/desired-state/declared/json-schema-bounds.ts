import * as z from 'zod/mini'
import { MAX_TEXT_LENGTH, requiredText, text } from '../../../domain/values.js'

/** What JSON Schema can say of what `zod` only sees a function check; the rest is checked as it is read. */
export const bounds = z
  .registry<{ minLength?: number; maxLength?: number; maxItems?: number }>()
  .add(text, { maxLength: MAX_TEXT_LENGTH })
  .add(requiredText, { minLength: 1, maxLength: MAX_TEXT_LENGTH })
