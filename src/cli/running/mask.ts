/** Whether an address is of a server, and no file. */
export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//.test(address)

const ADDRESS = /postgres(?:ql)?:\/\/[^\s'"`]+/g

/** An address without its password, also where it stands among the parameters. */
const maskAddress = (address: string): string =>
  address
    .replace(/^(\w+:\/\/[^:@/?]*):[^@]*@/, '$1:***@')
    .replaceAll(/([?&](?:password|sslpassword)=)[^&]*/gi, '$1***')

const passwordsIn = (address: string): readonly string[] => {
  if (!URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  const found = [password, safelyDecoded(password), searchParams.get('password') ?? '']
  return found.filter((each) => each.length > 3)
}

const safelyDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Takes the passwords of addresses out of a text. `given` are the addresses of the command line. */
export const masking = (given: readonly string[]): ((text: string) => string) => {
  const passwords = given.filter(isPostgres).flatMap(passwordsIn)
  return (text) => {
    const masked = text.replaceAll(ADDRESS, maskAddress)
    return passwords.reduce((shown, password) => shown.replaceAll(password, '***'), masked)
  }
}
