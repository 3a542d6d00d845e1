import { checkNames, checkNumber } from '../store/check-options.js'
import { withoutTls } from './connection/clients.js'
import type { Driver } from './connection/driver.js'
import type { PostgresAddress, PostgresOptions, ReplicaOptions } from './options.js'

/** The options of an address. */
const ADDRESS_OPTIONS = [
  'connectionString',
  'pool',
  'ssl',
  'maxConnections',
  'connectTimeout',
  'statementTimeout',
]

const OPTIONS = [
  ...ADDRESS_OPTIONS,
  'schema',
  'migrate',
  'listenConnectionString',
  'replica',
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
  checkServer(driver, options)
  checkAddress(driver, 'listenConnectionString', options.listenConnectionString ?? '/')
  if (typeof (options.migrate ?? true) !== 'boolean')
    throw new TypeError('migrate must be a boolean')
  if (options.replica !== undefined) checkReplica(driver, options.replica)
}

const checkReplica = (driver: Driver, replica: ReplicaOptions): void => {
  if (typeof replica !== 'object' || replica === null)
    throw new TypeError('replica must be an object')
  checkNames('replica', replica, [...ADDRESS_OPTIONS, 'maxWait'])
  checkServer(driver, replica, 'replica.')
  checkNumber('replica.maxWait', replica.maxWait)
}

/** @param prefix - of the names of options in messages */
const checkServer = (driver: Driver, address: PostgresAddress, prefix = ''): void => {
  if (typeof address?.pool?.connect !== 'function')
    checkAddress(driver, `${prefix}connectionString`, address?.connectionString)
  if (address.pool) return
  checkNumber(`${prefix}maxConnections`, address.maxConnections)
  checkNumber(`${prefix}connectTimeout`, address.connectTimeout)
  checkNumber(`${prefix}statementTimeout`, address.statementTimeout)
}
