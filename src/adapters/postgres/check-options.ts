import { checkNames, checkNumber } from '../store/check-options.js'
import { withoutTls } from './connection/clients.js'
import type { Driver } from './connection/driver.js'
import type { PostgresOptions } from './options.js'

const OPTIONS = [
  'connectionString',
  'pool',
  'ssl',
  'maxConnections',
  'connectTimeout',
  'statementTimeout',
  'schema',
  'migrate',
  'listenConnectionString',
  'signal',
]

/** A URL, or the path of a socket. For anything else the driver would use a default host. */
const ADDRESS = /^([a-z][\w+.-]*:)?\//i

/** The message never shows the address, which may have a password. */
const checkAddress = (driver: Driver, option: string, value: unknown): void => {
  if (!ADDRESS.test(String(value)) || !isReadable(driver, String(value)))
    throw new TypeError(`${option} must be a URL such as postgres://host/database`)
}

/** Whether the driver can parse it; the driver supports one host alone. */
const isReadable = ({ Client }: Driver, connectionString: string): boolean => {
  try {
    new Client({ connectionString: withoutTls(connectionString) })
    return true
  } catch {
    return false
  }
}

/** @throws TypeError that names an option which is missing, unknown or of a wrong type */
export const checkOptions = (driver: Driver, options: PostgresOptions): void => {
  if (typeof options === 'object') checkNames('openPostgres', options ?? {}, OPTIONS)
  if (typeof options?.pool?.connect !== 'function')
    checkAddress(driver, 'connectionString', options?.connectionString)
  checkAddress(driver, 'listenConnectionString', options.listenConnectionString ?? '/')
  if (typeof (options.migrate ?? true) !== 'boolean')
    throw new TypeError('migrate must be a boolean')
  if (options.pool) return
  checkNumber('maxConnections', options.maxConnections)
  checkNumber('connectTimeout', options.connectTimeout)
  checkNumber('statementTimeout', options.statementTimeout)
}
