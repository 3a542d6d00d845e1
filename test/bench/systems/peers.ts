import type { System } from '../system.ts'

/** What `peers/embedded.ts` exports. */
interface EmbeddedPeers {
  readonly equinox: System
  readonly guardedEquinox: System
  readonly castore: System
  readonly emmett: System
  readonly emmettSqlite: System
  /** Whether {@link EmbeddedPeers.emmettSqlite} can be measured. */
  readonly isEmmettSqliteInstalled: () => Promise<boolean>
}

/** What `peers/postgres.ts` exports. */
interface PostgresPeers {
  readonly castorePostgres: System
  readonly emmettPostgres: System
}

// The compiler does not follow these names: peers are type-checked in their own package, once
// `npm run bench` has installed it.
const EMBEDDED: string = '../peers/embedded.ts'
const POSTGRES: string = '../peers/postgres.ts'

/** The peers that run in memory or in a file. */
export const embeddedPeers: EmbeddedPeers = await import(EMBEDDED)

/** The peers on PostgreSQL. */
export const loadPostgresPeers = (): Promise<PostgresPeers> => import(POSTGRES)
