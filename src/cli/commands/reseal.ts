import { orThrow, toJson } from 'claviger'
import { type Command, explain, print, required } from '../command.js'
import {
  DATABASE,
  KEYS,
  openDatabase,
  openIam,
  RECORDING,
  requireCipher,
  writingContextOf,
} from '../database.js'

export const reseal: Command = {
  help: `Usage: claviger reseal --org ORG --keys FILE [options]

Encrypts every client secret of an organization with the current key. After
that, only past events in the log need the older keys.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --org ORG       the organization
  --user USER     the actor in the history; default: claviger-cli
  --reason TEXT   why; shown in the history
  --keys FILE     the current key and the older ones; else CLAVIGER_KEYS_FILE
  --json          the result as a line of JSON`,
  options: { ...DATABASE, ...KEYS, ...RECORDING, org: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal } = call
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
      terminal.progress(`${done} of ${total} providers`)
    const context = { ...writingContextOf(call, required(call, 'org')), onProgress }
    const cipher = await requireCipher(call)
    await using database = await openDatabase(call)
    const { identityProviders } = openIam(database, cipher)
    const report = await orThrow(identityProviders.resealSecrets({}, context))
    const { resealed, unchanged, failed } = report
    await print(
      call,
      toJson(report),
      `${resealed.length} resealed, ${unchanged.length} unchanged, ${failed.length} failed`,
    )
    for (const { idpId, error } of failed) terminal.note(`claviger: ${idpId}: ${explain(error)}`)
    return failed.length > 0 ? 1 : 0
  },
}
