import * as z from 'zod/mini'
import { MAX_TEXT_LENGTH, requiredText, text } from '../../../domain/values.js'

/** Bounds for JSON Schema, which cannot express the functions that check them. */
export const bounds = z
  .registry<{ minLength?: number; maxLength?: number; minItems?: number; maxItems?: number }>()
  .add(text, { maxLength: MAX_TEXT_LENGTH })
  .add(requiredText, { minLength: 1, maxLength: MAX_TEXT_LENGTH })
