import { copyEvents, orThrow } from 'claviger'
import { type Command, optional, print, required } from '../command.js'
import { KEYS, openAddress, openCipher, openCursors } from '../database.js'

export const copy: Command = {
  help: `Usage: claviger copy --from ADDRESS --to ADDRESS [options]

Copies the log to another database and verifies the copy. Webhook cursors are
copied too, unless a process uses them there. Creates a missing target. Run it
again to continue an interrupted copy.

  --from ADDRESS      SQLite file, or postgres://…
  --to ADDRESS        the same, empty or an earlier copy
  --from-schema NAME  schema of PostgreSQL; default: claviger
  --to-schema NAME    the same
  --keys FILE         keys to check secrets with; else CLAVIGER_KEYS_FILE
  --json              the result as a line of JSON`,
  options: {
    ...KEYS,
    from: { type: 'string' },
    to: { type: 'string' },
    'from-schema': { type: 'string' },
    'to-schema': { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal, signal } = call
    const [source, target] = [required(call, 'from'), required(call, 'to')]
    const secrets = await openCipher(call)
    const fromSchema = optional(call, 'from-schema')
    const toSchema = optional(call, 'to-schema')
    await using from = await openAddress(source, { schema: fromSchema, signal })
    await using to = await openAddress(target, { schema: toSchema, create: true, signal })
    const onProgress = ({ phase, done }: { readonly phase: string; readonly done: number }) =>
      terminal.progress(`${done} events, ${phase}`)
    await using fromCursors = await openCursors(source, fromSchema)
    await using toCursors = await openCursors(target, toSchema)
    const { copied, cursors, events } = await orThrow(
      copyEvents(from.store, to.store, {
        cursors: { from: fromCursors, to: toCursors },
        secrets,
        onProgress,
        signal,
      }),
    )
    const moved = cursors ? `; webhook cursors copied: ${cursors}` : ''
    await print(
      call,
      { copied, events, ...(cursors && { cursors }) },
      `${copied} events copied, ${events} verified${moved}`,
    )
    return 0
  },
}
