import { rm, writeFile } from 'node:fs/promises'
import { generateSignerKey } from 'claviger/evidence'
import { type Command, Failed, required, UsageError } from '../../running/command.js'

export const key: Command = {
  help: `Usage: claviger key FILE --name NAME

Writes a new key that signs checkpoints to FILE, for its owner alone, and prints
the verifier key, for everybody who checks them. An existing file is left alone.

  --name NAME   origin of the log, such as acme.example/iam
  --json        the verifier key within a line of JSON`,
  options: { name: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [1, 1],
  run: async (call) => {
    const { values, terminal } = call
    const [file = ''] = call.positionals
    const { signer, verifier } = await generateSignerKey(required(call, 'name')).catch(
      (thrown: unknown) => {
        throw thrown instanceof TypeError ? new UsageError(`--${thrown.message}`) : thrown
      },
    )
    await writeFile(file, `${signer}\n`, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
      const { code } = Object(cause)
      const why = code === 'EEXIST' ? 'is there already' : `cannot be written (${code})`
      throw new Failed(`The file ${file} ${why}`)
    })
    try {
      await terminal.print(values['json'] ? JSON.stringify({ verifier }) : verifier)
    } catch (thrown) {
      // A signer without its verifier is of no use.
      await rm(file)
      throw thrown
    }
    return 0
  },
}
