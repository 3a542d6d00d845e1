import { checkNumber } from '../check-number.js'
import type { PostgresOptions } from './options.js'

/** A URL, or the path of a socket. For anything else the driver would make up a host, or take its own. */
const ADDRESS = /^([a-z][\w+.-]*:)?\//i

/** Never shows the address: there may be a password in it. */
const checkAddress = (option: string, value: unknown): void => {
  if (!ADDRESS.test(String(value)))
    throw new TypeError(`${option} must be a URL such as postgres://host/database`)
}

/** @throws TypeError that names the option which is missing or not what it is to be */
export const checkOptions = (options: PostgresOptions): void => {
  if (typeof options?.pool?.connect !== 'function')
    checkAddress('connectionString', options?.connectionString)
  checkAddress('listenConnectionString', options.listenConnectionString ?? '/')
  if (options.pool) return
  checkNumber('maxConnections', options.maxConnections)
  checkNumber('connectTimeout', options.connectTimeout)
  checkNumber('statementTimeout', options.statementTimeout)
}
