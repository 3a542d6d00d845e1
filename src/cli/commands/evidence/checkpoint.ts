import { logCheckpoint } from 'claviger'
import { type Command, DATABASE, optional, required } from '../../running/command.js'
import { openDatabase } from '../../running/database.js'
import { readText } from '../../running/read-file.js'
import { unwrap } from '../../running/unwrap.js'

export const checkpoint: Command = {
  help: `Usage: claviger checkpoint --key FILE [options]

Prints a signed checkpoint of the log. Keep it where those who can write to the
database cannot: 'claviger verify' finds with it what was changed before.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; claviger when absent
  --key FILE      signer key, as 'claviger key' writes it
  --since FILE    an earlier checkpoint of this key, to read new events alone
  --json          the checkpoint within a line of JSON`,
  options: { ...DATABASE, key: { type: 'string' }, since: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal, signal } = call
    const signer = (await readText(required(call, 'key'))).trim()
    const file = optional(call, 'since')
    const since = file === undefined ? undefined : await readText(file)
    await using database = await openDatabase(call)
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${done} events read`)
    const options = { signer, since, onProgress, signal }
    const note = unwrap(await logCheckpoint(database.store, options))
    await terminal.print(values['json'] ? JSON.stringify({ checkpoint: note }) : note.slice(0, -1))
    return 0
  },
}
