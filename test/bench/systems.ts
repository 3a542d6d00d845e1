import type { Open, Place, World } from './world.ts'

/** What is measured, by the name that the tables show. */
export const SYSTEMS = {
  claviger: 'claviger',
  withViews: 'claviger with views',
  nestedMap: 'nested Map',
  casl: 'CASL',
  casbin: 'casbin',
  cedar: 'Cedar',
  betterAuth: 'better-auth',
  drizzle: 'Drizzle and audit row',
  kysely: 'Kysely and audit row',
  kyselyGrouped: 'Kysely, commits shared',
  rawSqlite: 'bare node:sqlite',
  rawPostgres: 'bare pg',
  equinox: 'equinox-js, bare',
  castore: 'castore, bare',
  emmett: 'Emmett, bare',
} as const
export type SystemName = keyof typeof SYSTEMS

/** The file and export of each; only the one that is opened is loaded. */
const HOMES: Readonly<Record<SystemName, readonly [file: string, name: string]>> = {
  claviger: ['./systems/claviger.ts', 'claviger'],
  withViews: ['./systems/claviger.ts', 'withViews'],
  nestedMap: ['./systems/nested-map.ts', 'nestedMap'],
  rawSqlite: ['./systems/raw-sqlite.ts', 'rawSqlite'],
  rawPostgres: ['./systems/raw-postgres.ts', 'rawPostgres'],
  // The compiler does not follow these names: peers are type-checked in their own package, once
  // `npm run bench` has installed it.
  casl: ['./peers/casl.ts', 'casl'],
  casbin: ['./peers/casbin.ts', 'casbin'],
  cedar: ['./peers/cedar.ts', 'cedar'],
  betterAuth: ['./peers/better-auth.ts', 'betterAuth'],
  drizzle: ['./peers/drizzle.ts', 'drizzle'],
  kysely: ['./peers/kysely.ts', 'kysely'],
  kyselyGrouped: ['./peers/kysely.ts', 'kyselyGrouped'],
  equinox: ['./peers/equinox.ts', 'equinox'],
  castore: ['./peers/event-stores.ts', 'castore'],
  emmett: ['./peers/event-stores.ts', 'emmett'],
}

/** Opens and fills a system in this process. */
export const openSystem = async (system: SystemName, place: Place): Promise<World> => {
  const [file, name] = HOMES[system]
  const module: Readonly<Record<string, Open | undefined>> = await import(file)
  const open = module[name]
  if (!open) throw new Error(`${file} does not export ${name}`)
  return open(place)
}
