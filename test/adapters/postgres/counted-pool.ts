import pg from 'pg'

/**
 * A pool of one connection, and every statement that it sends, `BEGIN` and `COMMIT` among them.
 *
 * @param before - done before a statement is sent
 */
export const countedPool = (
  connectionString: string,
  before: (text: string) => Promise<void> = async () => {},
) => {
  const sent: string[] = []
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const counted = async (...given: readonly [string | pg.QueryConfig, ...unknown[]]) => {
      const [statement] = given
      const text = typeof statement === 'string' ? statement : statement.text
      sent.push(text)
      await before(text)
      return query(...given)
    }
    Object.assign(client, { query: counted })
  })
  // The server may end before its connections do.
  pool.on('error', () => undefined)
  return { pool, sent }
}
