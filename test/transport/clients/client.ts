import type { Iam } from 'claviger'
import type { TransportOptions } from 'claviger/transport'
import type { Answer, Call } from '../call.js'
import type { Servers } from '../servers.js'

/** The host that is called, for clients that make their own server of it. */
export interface Host {
  readonly iam: Iam
  readonly options: TransportOptions
}

/** Makes calls of one kind. */
export interface Client {
  readonly call: (call: Call, host: Host) => Promise<Answer & { readonly httpStatus?: number }>
  readonly close: () => Promise<void>
}

/** Makes a client of the servers. */
export type OpenClient = (servers: Servers) => Promise<Client>

/** Headers of an answer that every kind of call shows. */
export const headersOfAnswer = (header: (name: string) => string | null | undefined) => {
  const etag = header('etag')
  return {
    ...(typeof etag === 'string' && { etag }),
    isDeprecated: /^@\d+$/.test(header('deprecation') ?? ''),
  }
}
