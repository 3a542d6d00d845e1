import { aesGcmCipher, type Caller, createIam, type Iam } from 'claviger'
import { openPostgres, postgresCursors } from 'claviger/postgres'
import { openSqlite, sqliteCursors } from 'claviger/sqlite'
import type { WebhookCursors } from 'claviger/webhooks'
import pg from 'pg'

/** Where log and cursors are kept. */
export type Place = { readonly file: string } | { readonly connectionString: string }

export interface Opened {
  readonly iam: Iam
  readonly cursors: WebhookCursors
  readonly close: () => Promise<void>
}

const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })

export const openPlace = async (place: Place): Promise<Opened> => {
  if ('file' in place) {
    const { close, ...opened } = openSqlite(place.file)
    const cursors = sqliteCursors(place.file)
    const closeBoth = async () => {
      await cursors.close()
      await close()
    }
    const iam = createIam({ ...opened, secrets, authorize: () => true })
    return { iam, cursors, close: closeBoth }
  }
  const { connectionString } = place
  const { store, readModel, close } = await openPostgres({ connectionString })
  const pool = new pg.Pool({ connectionString, max: 5 })
  pool.on('error', () => undefined)
  const closeBoth = async () => {
    await pool.end()
    await close()
  }
  const iam = createIam({ store, readModel, secrets, authorize: () => true })
  return { iam, cursors: postgresCursors({ pool }), close: closeBoth }
}

export const caller = (orgId: string): Caller => ({ userId: 'webhooks', orgId })
