// claviger on the serverless driver of Neon, whose pool speaks to the server over a web socket.
import { Pool } from '@neondatabase/serverless'
import { openPostgres } from 'claviger/postgres'

/** Opens the database at an address of Neon. The pool ends with `close`. */
export const openOnNeon = async (connectionString: string) => {
  const pool = new Pool({ connectionString })
  pool.on('error', () => undefined) // a lost idle connection is replaced when one is needed
  const opened = await openPostgres({ pool })
  const close = async () => {
    await opened.close()
    await pool.end()
  }
  return { ...opened, close }
}
