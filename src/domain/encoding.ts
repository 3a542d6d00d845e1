const utf8 = new TextEncoder()

/** How many bytes `value` takes as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => utf8.encode(JSON.stringify(value)).length

/** Bytes in base64 with padding (RFC 4648, section 4). */
export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The bytes of `text`; undefined unless it is exactly what {@link toBase64} writes. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  const binary = atob(text)
  // The last character may have unused bits, so several texts decode to the same bytes: only one is accepted.
  if (btoa(binary) !== text) return undefined
  const bytes = new Uint8Array(binary.length)
  for (let place = 0; place < bytes.length; place++) bytes[place] = binary.charCodeAt(place)
  return bytes
}

/** Bytes in base64url without padding (RFC 4648, section 5). */
export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** The bytes of `text`; undefined unless it is exactly what {@link toBase64url} writes. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return fromBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, '='))
}
