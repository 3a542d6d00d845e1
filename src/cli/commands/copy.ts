import { copyEvents } from 'claviger'
import { type Command, optional, required, unwrap } from '../command.js'
import { KEYS, openAddress, openCipher, openCursors } from '../database.js'

export const copy: Command = {
  help: `Usage: claviger copy --from ADDRESS --to ADDRESS [options]

Copies the log to another database, and verifies the copy. Cursors of webhooks
are copied too, except those that a process sends by there. The target is
created when it is not there. Run again, it goes on where it ended.

  --from ADDRESS      SQLite file, or postgres://…
  --to ADDRESS        the same, empty or an earlier copy
  --from-schema NAME  schema of PostgreSQL; claviger when absent
  --to-schema NAME    the same
  --keys FILE         opens each secret with these keys; else CLAVIGER_KEYS_FILE
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
    const { values, terminal, signal } = call
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
    const { copied, cursors, events } = unwrap(
      await copyEvents(from.store, to.store, {
        cursors: { from: fromCursors, to: toCursors },
        secrets,
        onProgress,
        signal,
      }),
    )
    const moved = cursors ? `; webhook cursors copied: ${cursors}` : ''
    await (values['json']
      ? terminal.printJson({ copied, events, ...(cursors && { cursors }) })
      : terminal.print(`${copied} events copied, ${events} verified${moved}`))
    return 0
  },
}
