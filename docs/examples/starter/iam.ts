// The instance of claviger, on an SQLite file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

/** Encrypts client secrets. In production, take the key from your secret manager. */
const keyIn = (file: string): Uint8Array => {
  if (!existsSync(file))
    writeFileSync(file, crypto.getRandomValues(new Uint8Array(32)), { mode: 0o600 })
  return new Uint8Array(readFileSync(file))
}

export const key = keyIn('iam.key')

/** Opens the file. Your server needs no clock: `demo.ts` writes the past with one. */
export const open = (now = () => new Date()) => {
  const { close, ...opened } = openSqlite('iam.db', { now })
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: key } })
  return { close, iam: createIam({ ...opened, secrets, authorize: permissionsFromCaller, now }) }
}

export const { iam, close } = open()
