import { isRequiredText, MAX_TEXT_LENGTH } from '../../domain/values.js'
import type { Warn } from '../warning.js'
import type { Found } from './document.js'

/** Text as a name can hold it: cut to 200 characters, without those that no store can keep. */
const keepable = (text: string): string =>
  [
    ...text
      .slice(0, 2 * MAX_TEXT_LENGTH + 1)
      .toWellFormed()
      .replaceAll('\0', ''),
  ]
    .slice(0, MAX_TEXT_LENGTH)
    .join('')

/** A name; `otherwise` when there is none. */
export const nameIn = ({ value, path }: Found, otherwise: string, warn: Warn): string => {
  if (isRequiredText(value)) return value
  warn('NameChanged', path)
  return (typeof value === 'string' && keepable(value)) || keepable(otherwise) || 'unnamed'
}

/** Text that may be empty or absent. */
export const optionalTextIn = ({ value, path }: Found, warn: Warn): string => {
  if (value === undefined || value === '' || isRequiredText(value)) return value ?? ''
  warn('NameChanged', path)
  return typeof value === 'string' ? keepable(value) : ''
}
