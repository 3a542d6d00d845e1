import { type LogFault, verify as verifyLog } from 'claviger'
import { type Command, DATABASE, Failed, several, UsageError } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { explain } from '../running/explain.js'
import { readText } from '../running/read-file.js'
import { KEYS, openCipher } from '../running/secrets.js'

export const verify: Command = {
  help: `Usage: claviger verify [options]

Reads the whole log and looks for faults: in its order, its events, its seals,
and by checkpoints in what was recorded before. Exits with 2 when there is one.

  --db ADDRESS       file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME      schema of PostgreSQL, when it is not claviger
  --checkpoint FILE  a checkpoint of this log; may be given several times
  --trust KEY        verifier key that signed them; may be given several times
  --keys FILE        keys that seal secrets, to open each; else CLAVIGER_KEYS_FILE
  --json             the result as a line of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    checkpoint: { type: 'string', multiple: true },
    trust: { type: 'string', multiple: true },
  },
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal, signal } = call
    const files = several(call, 'checkpoint')
    const keys = several(call, 'trust')
    if (files.length > 0 && keys.length === 0)
      throw new UsageError('--checkpoint needs --trust with the verifier key')
    const checkpoints = await Promise.all(files.map(readText))
    const secrets = await openCipher(call)
    const { store, close } = await openDatabase(call)
    try {
      const onProgress = ({ done }: { readonly done: number }) =>
        terminal.progress(`${done} events verified`)
      const verified = await verifyLog(store, { secrets, checkpoints, keys, onProgress, signal })
      if (verified.isErr()) {
        if (!isFault(verified.error)) throw new Failed(explain(verified.error))
        const text = explain(verified.error)
        await terminal.print(values['json'] ? JSON.stringify({ fault: text }) : `FAULT: ${text}`)
        return 2
      }
      const { events, position } = verified.value
      const answer = { events, position: String(position), checkpoints: checkpoints.length }
      await terminal.print(
        values['json']
          ? JSON.stringify(answer)
          : `ok: ${events} events, the last at ${position}${files.length > 0 ? `; ${files.length} checkpoints hold` : ''}`,
      )
      return 0
    } finally {
      await close()
    }
  },
}

/** Whether it is the log that is wrong, rather than the way to it. */
const isFault = ({ kind }: LogFault): boolean =>
  !['Unavailable', 'Cancelled', 'InvalidArgument'].includes(kind)
