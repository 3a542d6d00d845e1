import type { Condition } from '../../../ports/read-model.js'

/** Kept as names and as keys of roles, in the order of their code points. */
export const NAMES = [
  '',
  '%',
  "'",
  '100%',
  '100x',
  'A_B',
  'AxB',
  'Editor',
  '\\',
  '\\%',
  'editor',
  'editors',
  'straße',
  'É',
  'é',
  'ΟΔΟΣ',
  'οδος',
  'οδός',
  '\ud7ff!',
  '\ue000',
  '\uffff!',
  '😀',
  '😀😁',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}x',
]

type Sought = readonly [value: string, ignoreCase?: true | undefined]

/** The condition of a case, without a field. */
export const conditionOf = ([operator, [value, ignoreCase]]: Case) => ({
  operator,
  value,
  ignoreCase: ignoreCase === true,
})

/** A case in words. */
export const nameOf = ([operator, [value, ignoreCase]]: Case): string =>
  `${operator} ${value}${ignoreCase ? ', any case' : ''}`

/** A condition, and those of {@link NAMES} that meet it. */
export type Case = readonly [Condition['operator'], Sought, readonly string[]]

/** What is found among {@link NAMES}. */
export const CASES: readonly Case[] = [
  ['equals', ['Editor'], ['Editor']],
  ['equals', ['EDITOR'], []],
  ['equals', ['EDITOR', true], ['Editor', 'editor']],
  ['equals', [''], ['']],
  ['equals', ['', true], ['']],
  ['equals', ['STRASSE', true], ['straße']],
  ['equals', ['STRA\u1e9eE', true], ['straße']],
  ['equals', ['e\u0301'], []],
  ['equals', ['É', true], ['É', 'é']],
  ['equals', ['ΟΔΟΣ', true], ['ΟΔΟΣ', 'οδος']],
  ['startsWith', ['edit'], ['editor', 'editors']],
  ['startsWith', ['EDIT', true], ['Editor', 'editor', 'editors']],
  ['startsWith', ['editors', true], ['editors']],
  ['startsWith', [''], NAMES],
  ['startsWith', ['οδος', true], ['ΟΔΟΣ', 'οδος']],
  ['startsWith', ['\ud7ff'], ['\ud7ff!']],
  ['startsWith', ['\uffff'], ['\uffff!']],
  ['startsWith', ['😀'], ['😀', '😀😁']],
  ['startsWith', ['\u{10ffff}'], ['\u{10ffff}', '\u{10ffff}\u{10ffff}x']],
  ['startsWith', ['\u{10ffff}\u{10ffff}', true], ['\u{10ffff}\u{10ffff}x']],
  ['startsWith', ['\ud83d'], []],
  ['contains', ['dit'], ['Editor', 'editor', 'editors']],
  ['contains', ['DITORS', true], ['editors']],
  ['contains', ['DITORS'], []],
  ['contains', [''], NAMES],
  ['contains', ['SS', true], ['straße']],
  ['contains', ['😁'], ['😀😁']],
  ['contains', ['\ude00'], []],
  ['contains', ['%'], ['%', '100%', '\\%']],
  ['startsWith', ['%'], ['%']],
  ['contains', ['_'], ['A_B']],
  ['startsWith', ['a_', true], ['A_B']],
  ['equals', ['100%'], ['100%']],
  ['contains', ['\\'], ['\\', '\\%']],
  ['contains', ["'"], ["'"]],
]
