import { existsSync } from 'node:fs'

/** Programs of the cluster, where the packages of Debian put them. */
export const PROGRAMS = {
  etcd: '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  patroni: '/usr/bin/patroni',
  pgbouncer: '/usr/sbin/pgbouncer',
  postgres: '/usr/lib/postgresql/15/bin/postgres',
} as const

const PACKAGES: Readonly<Record<keyof typeof PROGRAMS, string>> = {
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  patroni: 'patroni',
  pgbouncer: 'pgbouncer',
  postgres: 'postgresql-15',
}

/** A module of Python that Patroni needs for etcd, and only suggests. */
const ETCD_OF_PATRONI = '/usr/lib/python3/dist-packages/etcd'

/** Packages of Debian that the cluster needs and that are not installed. */
export const missingPackages = (): readonly string[] => {
  const names = Object.keys(PROGRAMS) as readonly (keyof typeof PROGRAMS)[]
  const missing = names.filter((name) => !existsSync(PROGRAMS[name])).map((name) => PACKAGES[name])
  return existsSync(ETCD_OF_PATRONI) ? missing : [...missing, 'python3-etcd']
}
