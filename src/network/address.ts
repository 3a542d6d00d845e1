/** Networks outside the internet: private, loopback, link-local, shared, unspecified, multicast, reserved. */
const PRIVATE_V4 =
  /^(0|10|127|22[4-9]|23\d|24\d|25[0-5])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.(168\.|0\.[02]\.|88\.99\.)|^198\.(1[89]\.|51\.100\.)|^203\.0\.113\./

const V4 = /^\d{1,3}(\.\d{1,3}){3}$/

/** Whether a text is an address of version 4 or 6 in digits. */
export const isAddress = (text: unknown): text is string =>
  typeof text === 'string' &&
  (text.includes(':')
    ? groupsOf(text) !== undefined
    : V4.test(text) &&
      text.split('.').every((part) => String(Number(part)) === part && +part < 256))

/** Parses an IPv6 address, without a zone, into its eight groups; undefined if it is not one. */
const groupsOf = (address: string): readonly number[] | undefined => {
  if (!URL.canParse(`http://[${address}]/`)) return undefined
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((hex) => parseInt(hex, 16))
  const [first, last] = [parse(head), parse(tail ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** Two groups as an IPv4 address. */
const inV4 = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (NAT64) or 6to4. */
const embedded = (groups: readonly number[]): string | undefined => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  if (groups.slice(0, 5).every((group) => group === 0) && (f === 0xffff || f === 0))
    return inV4(g, h)
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return inV4(g, h)
  if (a === 0x2002) return inV4(b, c)
  return undefined
}

/** Whether an ISATAP address ends in a private IPv4 address. If that is public, the network of the address decides. */
const isPrivateIsatap = ([, , , , e, f, g = 0, h = 0]: readonly number[]): boolean =>
  (e === 0 || e === 0x200) && f === 0x5efe && PRIVATE_V4.test(inV4(g, h))

/** Whether an address is this machine's own: 127.0.0.0/8, `::1`, or a name of it. */
export const isLoopback = (host: string): boolean => {
  const name = host.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || isLoopbackV4(name)
}

const isLoopbackV4 = (name: string): boolean => V4.test(name) && name.startsWith('127.')

/**
 * Whether an address, with or without brackets, belongs to this machine or its network: private, loopback, link-local,
 * shared or reserved, even inside an IPv6 address. The only such name is `localhost`.
 */
export const isPrivateAddress = (host: string): boolean => {
  const address = host.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  if (V4.test(address)) return PRIVATE_V4.test(address)
  const groups = address.includes(':') ? groupsOf(address) : undefined
  if (groups === undefined) return isLoopback(host)
  const v4 = embedded(groups)
  if (v4 !== undefined) return PRIVATE_V4.test(v4)
  if (isPrivateIsatap(groups)) return true
  // The internet is 2000::/3 without the addresses for protocols, such as Teredo, and for documentation.
  const [first = 0, second = 0] = groups
  if (first === 0x2001) return second < 0x200 || second === 0xdb8
  return first >> 13 !== 1 || (first === 0x3fff && second < 0x1000)
}

/** Whether a request may go to a URL. Only the text is checked; names are not resolved. */
export const isAllowed = (
  { protocol, hostname, username, password }: URL,
  options: {
    readonly allowHttpLoopback?: boolean | undefined
    readonly allowPrivateNetwork?: boolean | undefined
  },
): boolean => {
  if (username !== '' || password !== '') return false
  if (options.allowHttpLoopback === true && isLoopback(hostname))
    return protocol === 'https:' || protocol === 'http:'
  return (
    protocol === 'https:' && (options.allowPrivateNetwork === true || !isPrivateAddress(hostname))
  )
}
