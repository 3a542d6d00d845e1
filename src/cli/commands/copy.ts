import { copyEvents } from 'claviger'
import { type Command, required } from '../running/command.js'
import { openAddress } from '../running/database.js'
import { KEYS, openCipher } from '../running/secrets.js'
import { unwrap } from '../running/unwrap.js'

export const copy: Command = {
  help: `Usage: claviger copy --from ADDRESS --to ADDRESS [options]

Copies the log to another database, and verifies both. The target is created when
it is not there. Run again, it goes on where it ended.

  --from ADDRESS  file of SQLite, or postgres://…
  --to ADDRESS    the same, empty or an earlier copy
  --keys FILE     keys that seal secrets, to open each; else CLAVIGER_KEYS_FILE
  --json          the result as a line of JSON`,
  options: { ...KEYS, from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [0, 0],
  run: async (call) => {
    const { values, terminal, signal } = call
    const secrets = await openCipher(call)
    const [source, target] = [required(call, 'from'), required(call, 'to')]
    const from = await openAddress(source, { signal })
    try {
      const to = await openAddress(target, { create: true, signal })
      try {
        const onProgress = ({ phase, done }: { readonly phase: string; readonly done: number }) =>
          terminal.progress(`${done} events, ${phase}`)
        const copied = unwrap(
          await copyEvents(from.store, to.store, { secrets, onProgress, signal }),
        )
        await terminal.print(
          values['json']
            ? JSON.stringify({ copied: copied.copied })
            : `${copied.copied} events copied`,
        )
        return 0
      } finally {
        await to.close()
      }
    } finally {
      await from.close()
    }
  },
}
