import { rm, writeFile } from 'node:fs/promises'
import { type LogFault, orThrow, toJson, type Verified, verify as verifyLog } from 'claviger'
import { generateSignerKey, logCheckpoint } from 'claviger/evidence'
import {
  type Command,
  type CommandCall,
  explain,
  Failed,
  optional,
  print,
  readText,
  repeated,
  required,
  UsageError,
} from '../command.js'
import { DATABASE, KEYS, openCipher, openDatabase } from '../database.js'

export const key: Command = {
  help: `Usage: claviger key FILE --name NAME

Writes a new key for signing checkpoints to FILE, readable only by its owner,
and prints the verifier key for everybody who checks them. Never overwrites a
file.

  --name NAME   origin of the log, such as acme.example/iam
  --json        the verifier key within a line of JSON`,
  options: { name: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [1, 1],
  run: async (call) => {
    const [file = ''] = call.positionals
    const { signer, verifier } = await generateSignerKey(required(call, 'name')).catch(
      (thrown: unknown) => {
        throw thrown instanceof TypeError ? new UsageError(`--${thrown.message}`) : thrown
      },
    )
    await writeFile(file, `${signer}\n`, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
      const { code } = Object(cause)
      const why = code === 'EEXIST' ? 'already exists' : `cannot be written (${code})`
      throw new Failed(`The file ${file} ${why}`)
    })
    try {
      await print(call, { verifier }, verifier)
    } catch (thrown) {
      // A signer key is useless without its verifier key.
      await rm(file)
      throw thrown
    }
    return 0
  },
}

export const checkpoint: Command = {
  help: `Usage: claviger checkpoint --key FILE [options]

Prints a signed checkpoint of the log. Keep it where nobody who can write to the
database can change it: 'claviger verify' detects changes to earlier events.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --key FILE      signer key, as 'claviger key' writes it
  --since FILE    an earlier checkpoint of this key, to read only new events
  --json          the checkpoint within a line of JSON`,
  options: { ...DATABASE, key: { type: 'string' }, since: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal, signal } = call
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
          ? `The file ${files.since} is not a checkpoint signed by this key`
          : `The file ${files.signer} is not a signer key`,
      )
    const note = orThrow(made)
    await print(call, { checkpoint: note }, ...note.slice(0, -1).split('\n'))
    return 0
  },
}

export const verify: Command = {
  help: `Usage: claviger verify [options]

Reads the whole log and checks its order, events and secrets, and with
checkpoints whether earlier events were changed. Exits with 2 at a fault.

  --db ADDRESS       SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME      schema of PostgreSQL; default: claviger
  --checkpoint FILE  a checkpoint of this log; may be given several times
  --trust KEY        verifier key that signed them; may be given several times
  --keys FILE        keys to check secrets with; else CLAVIGER_KEYS_FILE
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
    const files = repeated(call, 'checkpoint')
    const keys = repeated(call, 'trust')
    if (files.length > 0 !== keys.length > 0)
      throw new UsageError('--checkpoint and --trust, its verifier key, go together')
    const checkpoints = await Promise.all(files.map(readText))
    const secrets = await openCipher(call)
    await using database = await openDatabase(call)
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${done} events verified`)
    const options = { secrets, checkpoints, keys, onProgress, signal }
    const verified = await verifyLog(database.store, options)
    if (verified.isErr()) return reportFault(call, verified.error)
    await printVerified(call, verified.value)
    return 0
  },
}

const printVerified = (call: CommandCall, { events, position }: Verified): Promise<void> => {
  const { terminal, values } = call
  const checkpoints = repeated(call, 'checkpoint').length
  if (values['json']) return terminal.printJson({ events, position: String(position), checkpoints })
  const held = checkpoints === 1 ? 'checkpoint holds' : 'checkpoints hold'
  const vouched = checkpoints > 0 ? `; ${checkpoints} ${held}` : ''
  return terminal.print(`ok: ${events} events, the last at ${position}${vouched}`)
}

/** Errors of reading, which are not faults of the log. */
const NO_FAULT: readonly LogFault['kind'][] = ['Unavailable', 'Cancelled', 'InvalidArgument']

const reportFault = async (call: CommandCall, fault: LogFault): Promise<2> => {
  // Checkpoints are named by their files.
  const files = repeated(call, 'checkpoint')
  const text = explain(fault).replaceAll(
    /checkpoints\[(\d+)\]/g,
    (name, index: string) => files[Number(index)] ?? name,
  )
  if (text.startsWith('keys[')) throw new UsageError(text.replace(/keys\[\d+\]/, '--trust'))
  if (NO_FAULT.includes(fault.kind)) throw new Failed(text)
  await print(call, { fault: toJson(fault) }, `FAULT: ${text}`)
  return 2
}
