/** Checks the value of an option; the text says what the value must be, such as `must be a function`. */
export type OptionCheck = readonly [isValid: (value: unknown) => boolean, description: string]

export type OptionChecks = Readonly<Record<string, OptionCheck>>

/** The options that a function has. */
export interface KnownOptions {
  /** Refused when absent. */
  readonly required?: OptionChecks
  /** Checked when present; undefined counts as absent. */
  readonly optional?: OptionChecks
  /** Prefix of option names in messages, such as `hooks.`. */
  readonly prefix?: string
}

/**
 * Checks the options of a public function.
 *
 * @param called - name of the function in messages
 * @throws TypeError naming an option that is unknown, missing or of a wrong type
 */
export const checkOptions = (
  called: string,
  options: unknown,
  { required = {}, optional = {}, prefix = '' }: KnownOptions,
): void => {
  const known = { ...required, ...optional }
  const unknown = Object.keys(Object(options)).filter((name) => !Object.hasOwn(known, name))
  if (unknown.length > 0) {
    const names = Object.keys(known).join(', ')
    throw new TypeError(`${called} has no option ${unknown.join(', ')}; it has ${names}`)
  }
  for (const [name, [isValid, description]] of Object.entries(known)) {
    const value: unknown = Reflect.get(Object(options), name)
    if (value === undefined && !Object.hasOwn(required, name)) continue
    if (!isValid(value)) throw new TypeError(`${prefix}${name} ${description}`)
  }
}

export const FUNCTION: OptionCheck = [(value) => typeof value === 'function', 'must be a function']

/** A text. */
export const TEXT: OptionCheck = [(value) => typeof value === 'string', 'must be a string']

/** True or false. */
export const BOOLEAN: OptionCheck = [(value) => typeof value === 'boolean', 'must be a boolean']

/** An object, whose properties are checked elsewhere. */
export const OBJECT: OptionCheck = [
  (value) => typeof value === 'object' && value !== null,
  'must be an object',
]

/** A number, but not NaN. */
export const NUMBER: OptionCheck = [(value) => Number(value) === value, 'must be a number']

/** An option whose value is checked elsewhere. */
export const ANY: OptionCheck = [() => true, '']

const typeOf = (value: unknown, property: string) => typeof Reflect.get(Object(value), property)

/** Ends a call. A request's signal may be of another realm, so it is known by its properties. */
export const SIGNAL: OptionCheck = [
  (value) =>
    typeOf(value, 'aborted') === 'boolean' &&
    typeOf(value, 'addEventListener') === 'function' &&
    typeOf(value, 'removeEventListener') === 'function',
  'must be an AbortSignal',
]

/** An object with these functions, such as a port; `description` says which object. */
export const withMethods = (names: readonly string[], description: string): OptionCheck => [
  (value) => names.every((name) => typeOf(value, name) === 'function'),
  description,
]

export const milliseconds = (least: number, most: number): OptionCheck => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  `must be a whole number of milliseconds, ${inGroups(least)} to ${inGroups(most)}`,
]

/**
 * Groups digits, as in `3,600,000`. `toLocaleString` would load language data, which takes a third of the import time.
 */
const inGroups = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
