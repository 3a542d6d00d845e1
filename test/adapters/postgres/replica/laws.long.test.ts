import { afterAll, beforeAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { readMethods } from '../../../../src/adapters/sql/read-model/read-model.js'
import { checkpointLaws, headLaws } from '../../../../src/laws/read-model/checkpoint-laws.js'
import type {
  ReadMethod,
  ReadMethods,
  ReadModel,
  ReadQuery,
  ViewType,
} from '../../../../src/ports/read-model.js'
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

/**
 * A process that asks the primary for its checkpoint before each read: what it has answered binds the standby, so that
 * every law holds.
 */
const askingFirst = ({ store, readModel }: Postgres): Pick<Postgres, 'store' | 'readModel'> => {
  const asking: ReadModel = {
    ...readModel,
    ...readMethods(
      async <Method extends ReadMethod, Type extends ViewType>(query: ReadQuery<Method, Type>) => {
        await readModel.checkpoint()
        const reads: ReadMethods<Type> = readModel
        return reads[query.method](...query.args)
      },
    ),
    readAtHead: (pair) =>
      pair.readModel === asking ? readModel.readAtHead?.({ ...pair, readModel }) : undefined,
  }
  return { store, readModel: asking }
}

// What a replica answers it answers by the statements of the primary: only which moment it shows can be wrong.
describe.each([
  { follows: 'as fast as it can', delay: '0' },
  { follows: 'late', delay: '10ms' },
])('A read model with a replica that follows $follows', ({ delay }) => {
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const { connectionString } = primary
    const replica = { connectionString: standby.connectionString }
    const postgres = await openPostgres({ connectionString, schema, replica })
    opened.push(postgres)
    return askingFirst(postgres)
  })

  beforeAll(async () => {
    await ask(standby, `ALTER SYSTEM SET recovery_min_apply_delay = '${delay}'`)
    await ask(standby, 'SELECT pg_reload_conf()')
  })

  afterAll(async () => {
    for (const { close } of opened) await close()
  })

  test.each([...checkpointLaws, ...headLaws])('$name', ({ check }) => check(home))
})
