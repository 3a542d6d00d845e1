/** @throws TypeError naming the options that `called` does not have, such as a misspelt one */
export const checkNames = (called: string, options: object, names: readonly string[]): void => {
  const unknown = Object.keys(options).filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new TypeError(`${called} has no option ${unknown.join(', ')}; it has ${names.join(', ')}`)
}

/** @throws TypeError naming the option when it is present and no number */
export const checkNumber = (option: string, value: unknown): void => {
  if (value !== undefined && Number(value) !== value)
    throw new TypeError(`${option} must be a number`)
}
