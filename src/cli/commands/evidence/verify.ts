import { type LogFault, toJson, type Verified, verify as verifyLog } from 'claviger'
import { printable } from '../../output/printable.js'
import {
  type Command,
  type CommandCall,
  DATABASE,
  Failed,
  several,
  UsageError,
} from '../../running/command.js'
import { openDatabase } from '../../running/database.js'
import { explain } from '../../running/explain.js'
import { readText } from '../../running/read-file.js'
import { KEYS, openCipher } from '../../running/secrets.js'

export const verify: Command = {
  help: `Usage: claviger verify [options]

Reads the whole log and looks for faults: in its order, its events, its seals,
and by checkpoints for what was changed before them. Exits with 2 at a fault.

  --db ADDRESS       file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME      schema of PostgreSQL; claviger when absent
  --checkpoint FILE  a checkpoint of this log; may be given several times
  --trust KEY        verifier key that signed them; may be given several times
  --keys FILE        opens each secret with these keys; else CLAVIGER_KEYS_FILE
  --json             the result as a line of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    checkpoint: { type: 'string', multiple: true },
    trust: { type: 'string', multiple: true },
  },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal, signal } = call
    const files = several(call, 'checkpoint')
    const keys = several(call, 'trust')
    if (files.length > 0 !== keys.length > 0)
      throw new UsageError('--checkpoint and --trust, its verifier key, go together')
    const checkpoints = await Promise.all(files.map(readText))
    const secrets = await openCipher(call)
    await using database = await openDatabase(call)
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${done} events verified`)
    const options = { secrets, checkpoints, keys, onProgress, signal }
    const verified = await verifyLog(database.store, options)
    if (verified.isErr()) return tellFault(call, verified.error)
    await terminal.print(shown(call, verified.value))
    return 0
  },
}

const shown = (call: CommandCall, { events, position }: Verified): string => {
  const checkpoints = several(call, 'checkpoint').length
  if (call.values['json'])
    return JSON.stringify({ events, position: String(position), checkpoints })
  const held = checkpoints === 1 ? 'checkpoint holds' : 'checkpoints hold'
  const vouched = checkpoints > 0 ? `; ${checkpoints} ${held}` : ''
  return `ok: ${events} events, the last at ${position}${vouched}`
}

/** What is no fault of the log, but of the way to it. */
const NO_FAULT: readonly LogFault['kind'][] = ['Unavailable', 'Cancelled', 'InvalidArgument']

const tellFault = async (call: CommandCall, fault: LogFault): Promise<2> => {
  // Checkpoints are named by their files.
  const files = several(call, 'checkpoint')
  const text = explain(fault).replaceAll(
    /checkpoints\[(\d+)\]/g,
    (name, index: string) => files[Number(index)] ?? name,
  )
  if (text.startsWith('keys[')) throw new UsageError(text.replace(/keys\[\d+\]/, '--trust'))
  if (NO_FAULT.includes(fault.kind)) throw new Failed(text)
  await call.terminal.print(
    call.values['json'] ? JSON.stringify({ fault: toJson(fault) }) : `FAULT: ${printable(text)}`,
  )
  return 2
}
