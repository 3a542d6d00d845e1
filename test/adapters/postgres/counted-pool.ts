import pg from 'pg'

/** A pool of one connection, and every statement that it sends, `BEGIN` and `COMMIT` among them. */
export const countedPool = (connectionString: string) => {
  const sent: string[] = []
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const counted = (...given: readonly [string | pg.QueryConfig, ...unknown[]]) => {
      const [statement] = given
      sent.push(typeof statement === 'string' ? statement : statement.text)
      return query(...given)
    }
    Object.assign(client, { query: counted })
  })
  // The server may end before its connections do.
  pool.on('error', () => undefined)
  return { pool, sent }
}
