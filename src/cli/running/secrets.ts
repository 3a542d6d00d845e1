import { aesGcmCipher, createIam, type Hooks, type Iam, type SecretCipher } from 'claviger'
import { type CommandCall, Failed, optional } from './command.js'
import type { Database } from './database.js'
import { readText } from './read-file.js'

/** Options of commands that seal or open secrets. */
export const KEYS = { keys: { type: 'string' } } as const

/**
 * The cipher of the file of `--keys`, or else of `CLAVIGER_KEYS_FILE`: JSON such as
 * `{"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`. @throws Failed
 */
export const openCipher = async (call: CommandCall): Promise<SecretCipher | undefined> => {
  const file = optional(call, 'keys') ?? process.env['CLAVIGER_KEYS_FILE']
  if (!file) return undefined
  const text = await readText(file)
  try {
    const { current, keys } = JSON.parse(text)
    const bytes = Object.entries<string>(keys).map(
      ([id, key]) => [id, new Uint8Array(Buffer.from(key, 'base64'))] as const,
    )
    return aesGcmCipher({ current, keys: Object.fromEntries(bytes) })
  } catch {
    // What is wrong with it is not quoted: it holds keys.
    throw new Failed(
      `The file ${file} must be {"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`,
    )
  }
}

const noCipher: SecretCipher = {
  seal: () => Promise.reject(new Failed(NO_KEYS)),
  open: () => Promise.reject(new Failed(NO_KEYS)),
  isCurrent: () => true,
}

const NO_KEYS = 'Secrets are sealed with keys: give --keys FILE'

/** The cipher, which must be there. @throws Failed */
export const requireCipher = async (call: CommandCall): Promise<SecretCipher> => {
  const cipher = await openCipher(call)
  if (!cipher) throw new Failed(NO_KEYS)
  return cipher
}

/** The library on a database. Whoever can open the database may do everything in it. */
export const openIam = (
  { store, readModel }: Database,
  cipher?: SecretCipher | undefined,
  hooks?: Hooks | undefined,
): Iam =>
  createIam({
    store,
    readModel,
    secrets: cipher ?? noCipher,
    // Without keys, no secret can be read.
    authorize: ({ permission }) =>
      cipher !== undefined || permission !== 'identity_provider.secret.read',
    hooks,
  })

/** Shows how far long work is: what was read and what was recorded. */
export const progressOf = ({ terminal }: CommandCall): Hooks => {
  let read = 0
  let recorded = 0
  return {
    onCatchUp: ({ events }) => {
      read += events
      terminal.progress(`${read} events read`)
    },
    onAppend: ({ types }) => {
      recorded += types.length
      terminal.progress(`${recorded} events recorded`)
    },
  }
}

/** Who is on record for what the command line changes. */
export const contextOf = (call: CommandCall, orgId: string) => ({
  caller: { userId: optional(call, 'user') ?? 'claviger-cli', orgId },
  signal: call.signal,
})
