const PREFIX = 'whsec_'

/** The bytes of a secret of Standard Webhooks; undefined of what is none. */
export const keyOf = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!secret.startsWith(PREFIX)) return undefined
  try {
    const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (each) => each.charCodeAt(0))
    return bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined
  } catch {
    return undefined
  }
}

/** What is signed. */
export interface Signed {
  readonly id: string
  /** Seconds since the Unix epoch. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of Standard Webhooks: HMAC-SHA256, a signature of each secret. */
export const signatureHeaders = async (
  { id, timestamp, body }: Signed,
  secrets: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, content)))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

const sign = async (secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const bytes = keyOf(secret) ?? new Uint8Array()
  const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return `v1,${btoa(String.fromCharCode(...signature))}`
}
