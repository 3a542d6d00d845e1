/** Whether a value may be given, and what it must be, in English. */
export type OptionCheck = readonly [isValid: (value: unknown) => boolean, description: string]

/** Checks of options by their names. */
export type OptionChecks = Readonly<Record<string, OptionCheck>>

export const isCallable = (value: unknown): boolean => typeof value === 'function'

const isFlag = (value: unknown): boolean => typeof value === 'boolean'

/** A whole number of milliseconds. */
export const milliseconds = (least: number, most: number): OptionCheck => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  `must be a whole number of milliseconds, ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`,
]

/** Those of `NetworkOptions`, each of which may be absent. */
export const NETWORK_CHECKS: OptionChecks = {
  fetch: [isCallable, 'must be a function'],
  lookup: [isCallable, 'must be a function'],
  allowHttpLoopback: [isFlag, 'must be a boolean'],
  allowPrivateNetwork: [isFlag, 'must be a boolean'],
  timeout: milliseconds(1, 600_000),
}

/** @throws TypeError naming an option that is missing, unknown or of a wrong type */
export const checkOptions = (
  called: string,
  options: object,
  { required, optional }: Readonly<Record<'required' | 'optional', OptionChecks>>,
): void => {
  for (const name of Object.keys(Object(options)))
    if (!Object.hasOwn(required, name) && !Object.hasOwn(optional, name))
      throw new TypeError(`${name} is no option of ${called}`)
  for (const [name, [isValid, description]] of Object.entries({ ...required, ...optional })) {
    const value = Reflect.get(Object(options), name)
    if (value === undefined && !Object.hasOwn(required, name)) continue
    if (!isValid(value)) throw new TypeError(`${name} ${description}`)
  }
}
