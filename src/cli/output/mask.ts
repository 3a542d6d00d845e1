const ADDRESS = /\b[a-z][\w+.-]*:\/\/[^\s'"`]+/gi
const SIGNER = /PRIVATE\+KEY\+\S*/g

/** `scheme://user:`, then the password up to the last `@`. */
const PASSWORD = /^([a-z][\w+.-]*:\/\/[^:@/?#]*):(.*)@/is
const PARAMETER = /([?&](?:ssl)?password=)([^&]*)/gi

/** Shorter ones would be found in ordinary words. */
const MIN_PASSWORD_LENGTH = 4

const maskAddress = (address: string): string =>
  address.replace(PASSWORD, '$1:***@').replaceAll(PARAMETER, '$1***')

const passwordsIn = (address: string): readonly string[] => {
  const named = [...address.matchAll(PARAMETER)].map(([, , password]) => password)
  return [PASSWORD.exec(address)?.[2], ...named]
    .flatMap((password = '') => [password, decoded(password)])
    .filter(({ length }) => length >= MIN_PASSWORD_LENGTH)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Takes passwords of addresses and signer keys out of a text. `given` are the arguments of the command line: their
 * passwords are found anywhere.
 */
export const masking = (given: readonly string[]): ((text: string) => string) => {
  const passwords = given.flatMap(passwordsIn)
  return (text) => {
    const masked = text.replaceAll(ADDRESS, maskAddress).replaceAll(SIGNER, 'PRIVATE+KEY+***')
    return passwords.reduce((shown, password) => shown.replaceAll(password, '***'), masked)
  }
}
