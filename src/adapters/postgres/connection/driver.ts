import type pg from 'pg'

/** The driver of PostgreSQL. */
export type Driver = typeof pg

/** Loads the driver, which a host installs beside this library. @throws Error when it is missing */
export const loadDriver = async (): Promise<Driver> => {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new Error('claviger/postgres needs the driver of PostgreSQL: npm install pg', { cause })
  }
}
