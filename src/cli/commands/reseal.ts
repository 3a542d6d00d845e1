import { type Command, DATABASE, Failed, required } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { contextOf, KEYS, openCipher, openIam } from '../running/secrets.js'
import { unwrap } from '../running/unwrap.js'

export const reseal: Command = {
  help: `Usage: claviger reseal --org ORG --keys FILE [options]

Seals every client secret of an organization with the current key, after which
the older keys are needed no more by what is current.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --org ORG       the organization
  --user USER     who is on record for it; claviger-cli when absent
  --keys FILE     the current key and the older ones; else CLAVIGER_KEYS_FILE
  --json          the result as a line of JSON`,
  options: { ...DATABASE, ...KEYS, org: { type: 'string' }, user: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const context = contextOf(call, required(call, 'org'))
    const cipher = await openCipher(call)
    if (!cipher) throw new Failed('Secrets are sealed with keys: give --keys FILE')
    const database = await openDatabase(call)
    try {
      const { identityProviders } = openIam(database, cipher)
      const report = unwrap(await identityProviders.resealSecrets({}, context))
      const shown = Object.entries(report).map(([name, count]) => `${name} ${count}`)
      const { json } = call.values
      await call.terminal.print(json ? JSON.stringify(report) : shown.join(', '))
      return 0
    } finally {
      await database.close()
    }
  },
}
