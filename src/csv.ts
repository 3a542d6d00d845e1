/** A spreadsheet takes a text that begins with one of these for a formula. Some read full-width signs as plain ones. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** A text as one cell of a file of comma-separated values, which no spreadsheet takes for a formula. */
export const cellOf = (text: string): string => {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
