import { readFile } from 'node:fs/promises'
import { aesGcmCipher, createIam, type Iam, type SecretCipher } from 'claviger'
import { type CommandCall, Failed, optional } from './command.js'
import type { Database } from './database.js'

/** Options of commands that seal or open secrets. */
export const KEYS = { keys: { type: 'string' } } as const

/**
 * The cipher of the file of `--keys`, or else of `CLAVIGER_KEYS_FILE`: JSON such as
 * `{"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`. @throws Failed
 */
export const openCipher = async (call: CommandCall): Promise<SecretCipher | undefined> => {
  const file = optional(call, 'keys') ?? process.env['CLAVIGER_KEYS_FILE']
  if (!file) return undefined
  // What is wrong with it is not quoted: it holds keys.
  const failed = (what: string) => new Failed(`The file of keys ${file} ${what}`)
  const text = await readFile(file, 'utf8').catch(() => {
    throw failed('cannot be read')
  })
  try {
    const { current, keys } = JSON.parse(text)
    const bytes = Object.entries<string>(keys).map(
      ([id, key]) => [id, new Uint8Array(Buffer.from(key, 'base64'))] as const,
    )
    return aesGcmCipher({ current, keys: Object.fromEntries(bytes) })
  } catch {
    throw failed('must be {"current":"k1","keys":{"k1":"<32 bytes in base64>"}}')
  }
}

const NO_KEYS = 'This needs the keys that seal secrets: give --keys FILE'

const noCipher: SecretCipher = {
  seal: () => Promise.reject(new Failed(NO_KEYS)),
  open: () => Promise.reject(new Failed(NO_KEYS)),
  isCurrent: () => true,
}

/** The library on a database. Whoever can open the database may do everything in it. */
export const openIam = ({ store, readModel }: Database, cipher?: SecretCipher): Iam =>
  createIam({
    store,
    readModel,
    secrets: cipher ?? noCipher,
    // Without keys, a declared secret counts as a change.
    authorize: ({ permission }) =>
      cipher !== undefined || permission !== 'identity_provider.secret.read',
  })

/** Who is on record for what the command line changes. */
export const contextOf = (call: CommandCall, orgId: string) => ({
  caller: { userId: optional(call, 'user') ?? 'claviger-cli', orgId },
  signal: call.signal,
})
