import { afterAll, beforeAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { checkpointLaws, headLaws } from '../../../../src/testing/read-model/checkpoint-laws.js'
import { readModelLaws } from '../../../../src/testing/read-model/read-model-laws.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { databaseHome } from '../../read-model-home.js'
import { ask, standbyOf } from '../standby.js'
import { newSchema } from '../test-schemas.js'

let primary: PostgresServer
let standby: PostgresServer

beforeAll(async () => {
  primary = await startPostgres({ settings: ['fsync=off'] })
  standby = await standbyOf(primary)
})

afterAll(async () => {
  await standby[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
})

/** Laws of which several handles are read. */
const ofHandles = [...checkpointLaws, ...headLaws]

describe.each([
  { follows: 'as fast as it can', delay: '0', laws: readModelLaws },
  { follows: 'late', delay: '10ms', laws: ofHandles },
])('A read model with a replica that follows $follows', ({ delay, laws }) => {
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const { connectionString } = primary
    const replica = { connectionString: standby.connectionString }
    const postgres = await openPostgres({ connectionString, schema, replica })
    opened.push(postgres)
    return postgres
  })

  beforeAll(async () => {
    await ask(standby, `ALTER SYSTEM SET recovery_min_apply_delay = '${delay}'`)
    await ask(standby, 'SELECT pg_reload_conf()')
  })

  afterAll(async () => {
    for (const { close } of opened) await close()
  })

  test.each(laws)('$name', ({ check }) => check(home))
})
