import type { Command } from './command.js'

/** A line of the overview. The module of a command is loaded when it is needed. */
interface Listed {
  readonly about: string
  readonly load: () => Promise<Command>
}

/** All commands, in the order in which they are listed. */
export const COMMANDS: Readonly<Record<string, Listed>> = {
  init: {
    about: 'writes a small server as a starting point',
    load: async () => (await import('./commands/init.js')).init,
  },
  log: {
    about: 'prints the events of the log, and follows it',
    load: async () => (await import('./commands/log.js')).log,
  },
  history: {
    about: 'prints who changed what, field by field',
    load: async () => (await import('./commands/history.js')).history,
  },
  explain: {
    about: 'explains why a role counts for a user, or not',
    load: async () => (await import('./commands/explain.js')).explain,
  },
  verify: {
    about: 'checks the log for faults and tampering',
    load: async () => (await import('./commands/evidence.js')).verify,
  },
  checkpoint: {
    about: 'prints a signed checkpoint of the log',
    load: async () => (await import('./commands/evidence.js')).checkpoint,
  },
  key: {
    about: 'creates a key that signs checkpoints',
    load: async () => (await import('./commands/evidence.js')).key,
  },
  copy: {
    about: 'copies the log to another database',
    load: async () => (await import('./commands/copy.js')).copy,
  },
  plan: {
    about: 'shows what a desired state would change',
    load: async () => (await import('./commands/desired-state.js')).plan,
  },
  apply: {
    about: 'applies a desired state to an organization',
    load: async () => (await import('./commands/desired-state.js')).apply,
  },
  import: {
    about: 'imports from Zitadel, Keycloak or better-auth',
    load: async () => (await import('./commands/import.js')).importCommand,
  },
  reseal: {
    about: 'encrypts client secrets with the current key',
    load: async () => (await import('./commands/reseal.js')).reseal,
  },
  doctor: {
    about: 'shows versions, schema and lag of a database',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
  rebuild: {
    about: 'rebuilds the read model, and shows the progress',
    load: async () => (await import('./commands/rebuild.js')).rebuild,
  },
  serve: {
    about: 'serves the JSON interface and the console',
    load: async () => (await import('./commands/serve.js')).serve,
  },
}

/** The text that `claviger --help` prints. */
export const OVERVIEW = `Usage: claviger COMMAND [options]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  .join('\n')}

  claviger COMMAND --help shows the options of a command.
  --db or CLAVIGER_DB names the database: an SQLite file, or postgres://…

Exit codes: 0 done, 1 failed, 2 changes pending or faults found, 64 usage.`
