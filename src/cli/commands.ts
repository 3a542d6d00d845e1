import type { Command } from './command.js'

/** All commands. The module of a command is loaded when it is needed. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./commands/init.js')).init,
  log: async () => (await import('./commands/log.js')).log,
  history: async () => (await import('./commands/history.js')).history,
  explain: async () => (await import('./commands/explain.js')).explain,
  users: async () => (await import('./commands/users.js')).users,
  review: async () => (await import('./commands/users.js')).review,
  verify: async () => (await import('./commands/evidence.js')).verify,
  checkpoint: async () => (await import('./commands/evidence.js')).checkpoint,
  key: async () => (await import('./commands/evidence.js')).key,
  copy: async () => (await import('./commands/copy.js')).copy,
  plan: async () => (await import('./commands/desired-state.js')).plan,
  apply: async () => (await import('./commands/desired-state.js')).apply,
  import: async () => (await import('./commands/import.js')).importCommand,
  reseal: async () => (await import('./commands/reseal.js')).reseal,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
  rebuild: async () => (await import('./commands/rebuild.js')).rebuild,
  serve: async () => (await import('./commands/serve.js')).serve,
}

/** The text that `claviger --help` prints. */
export const OVERVIEW = `Usage: claviger COMMAND [options]

  init        writes a small server as a starting point
  log         prints the events of the log, and follows it
  history     prints who changed what, field by field
  explain     explains why a role counts for a user, or not
  users       prints the users of an organization with their roles
  review      prints who has which role, for an access review
  verify      checks the log for faults and tampering
  checkpoint  prints a signed checkpoint of the log
  key         creates a key that signs checkpoints
  copy        copies the log to another database
  plan        shows what a desired state would change
  apply       applies a desired state to an organization
  import      imports from Zitadel, Keycloak or better-auth
  reseal      encrypts client secrets with the current key
  doctor      shows versions, schema and lag of a database
  rebuild     rebuilds the read model, and shows the progress
  serve       serves the JSON interface and the console

  claviger COMMAND --help shows the options of a command.
  --db or CLAVIGER_DB names the database: an SQLite file, or postgres://…
Exit codes: 0 done, 1 failed, 2 changes pending or faults found, 64 usage.`
