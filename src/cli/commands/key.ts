import { writeFile } from 'node:fs/promises'
import { generateSignerKey } from 'claviger'
import { type Command, Failed, required, UsageError } from '../running/command.js'

export const key: Command = {
  help: `Usage: claviger key FILE --name NAME

Writes a new key that signs checkpoints to FILE, for its owner alone, and prints
the verifier key for those who check them. An existing file is left alone.

  --name NAME   origin of the log, such as acme.example/iam`,
  options: { name: { type: 'string' } },
  positionals: [1, 1],
  run: async (call) => {
    const [file = ''] = call.positionals
    const { signer, verifier } = await generateSignerKey(required(call, 'name')).catch(
      (thrown: unknown) => {
        throw thrown instanceof TypeError ? new UsageError(`--${thrown.message}`) : thrown
      },
    )
    await writeFile(file, `${signer}\n`, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
      const isThere = Object(cause).code === 'EEXIST'
      throw new Failed(`The file ${file} ${isThere ? 'is there already' : 'cannot be written'}`)
    })
    await call.terminal.print(verifier)
    return 0
  },
}
