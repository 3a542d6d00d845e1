import { logCheckpoint } from 'claviger/evidence'
import { type Command, DATABASE, Failed, optional, required } from '../../running/command.js'
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
    const files = { signer: required(call, 'key'), since: optional(call, 'since') }
    const signer = (await readText(files.signer)).trim()
    const since = files.since === undefined ? undefined : await readText(files.since)
    await using database = await openDatabase(call)
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${done} events read`)
    const options = { signer, since, onProgress, signal }
    const made = await logCheckpoint(database.store, options)
    if (made.isErr() && made.error.kind === 'InvalidArgument')
      throw new Failed(
        made.error.violations[0]?.field === 'since'
          ? `The file ${files.since} holds no checkpoint that this key has signed`
          : `The file ${files.signer} holds no signer key`,
      )
    const note = unwrap(made)
    await terminal.print(values['json'] ? JSON.stringify({ checkpoint: note }) : note.slice(0, -1))
    return 0
  },
}
