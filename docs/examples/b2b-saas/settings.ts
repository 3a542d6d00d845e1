// What differs between a developer's machine and production.

export interface Settings {
  readonly databaseUrl: string
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** Where browsers find the product. */
  readonly origin: string
  /** 32 bytes, which seal the secrets of providers; the same in all instances, as the next two. */
  readonly iamKey: Uint8Array
  readonly cookieKey: Uint8Array
  readonly operatorToken: string
  /** In milliseconds. */
  readonly webhookTimeout: number
  /** Lets cookies and providers do without TLS. */
  readonly isDevelopment: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws Error naming what is not set */
export const settingsFrom = (environment: Environment): Settings => {
  const required = (name: string): string => {
    const value = environment[name]
    if (value) return value
    throw new Error(`${name} is not set`)
  }
  /** As `openssl rand -base64 32` prints one. */
  const key = (name: string): Uint8Array => Buffer.from(required(name), 'base64')
  return {
    databaseUrl: required('DATABASE_URL'),
    host: environment['HOST'] ?? '127.0.0.1', // behind a proxy that ends TLS
    port: Number(environment['PORT'] ?? 8080),
    origin: required('ORIGIN'),
    iamKey: key('IAM_KEY'),
    cookieKey: key('COOKIE_KEY'),
    operatorToken: required('OPERATOR_TOKEN'),
    webhookTimeout: Number(environment['WEBHOOK_TIMEOUT'] ?? 5_000),
    isDevelopment: environment['DEVELOPMENT'] === '1',
  }
}
