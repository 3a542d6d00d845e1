import type { Pool } from 'pg'

/** All that one program may leave in a connection for the next one, of a pool of one connection. */
export const sessionSettings = async (pool: Pool): Promise<unknown> => {
  const { rows } = await pool.query(`SELECT
    (SELECT json_object_agg(name, setting ORDER BY name) FROM pg_settings
      -- PostgreSQL adds these with the first function of that language.
      WHERE name NOT LIKE 'plpgsql.%') AS settings,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
    (SELECT count(*) FROM pg_listening_channels()) AS channels,
    (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS tables`)
  return rows
}
