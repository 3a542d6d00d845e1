import { logCheckpoint } from 'claviger'
import { type Command, DATABASE, optional, required } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { readText } from '../running/read-file.js'
import { unwrap } from '../running/unwrap.js'

export const checkpoint: Command = {
  help: `Usage: claviger checkpoint --key FILE [options]

Prints a signed checkpoint of the log. Keep it where those who can write to the
database cannot: 'claviger verify' finds with it what was changed before.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --key FILE      signer key, as 'claviger key' writes it
  --since FILE    an earlier checkpoint of this key, to read new events alone`,
  options: { ...DATABASE, key: { type: 'string' }, since: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal, signal } = call
    const signer = (await readText(required(call, 'key'))).trim()
    const file = optional(call, 'since')
    const since = file === undefined ? undefined : await readText(file)
    const { store, close } = await openDatabase(call)
    try {
      const onProgress = ({ done }: { readonly done: number }) =>
        terminal.progress(`${done} events read`)
      const note = unwrap(await logCheckpoint(store, { signer, since, onProgress, signal }))
      await terminal.print(note.slice(0, -1))
      return 0
    } finally {
      await close()
    }
  },
}
