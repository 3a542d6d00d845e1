/** @throws TypeError naming the option when it is there and no number */
export const checkNumber = (option: string, value: unknown): void => {
  if (value !== undefined && Number(value) !== value)
    throw new TypeError(`${option} must be a number`)
}
