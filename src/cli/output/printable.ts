/** What would control a terminal, or reorder its text. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text as a terminal may show it: on one line, with control characters as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replaceAll(CONTROLS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
