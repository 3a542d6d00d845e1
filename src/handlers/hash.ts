/** A short hash of JSON: the first half of its SHA-256 in hex. */
export const hashOf = async (value: unknown): Promise<string> => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes), 0, 16))
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
