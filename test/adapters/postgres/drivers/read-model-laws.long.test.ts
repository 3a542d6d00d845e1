import { afterAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { readModelLaws } from '../../../../src/laws/index.js'
import { checkpointLaws, headLaws } from '../../../../src/laws/read-model/checkpoint-laws.js'
import { getLaws } from '../../../../src/laws/read-model/get-laws.js'
import { searched } from '../../../nightly.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema } from '../test-schemas.js'
import { DRIVERS, driverForFile } from './hosts.js'

// `npm test` has the same read model on SQLite. A driver takes and gives text, whatever a statement asks: what PGlite can
// break, the laws of checkpoints, objects and heads find.
const LAWS = {
  'postgres.js': readModelLaws,
  PGlite: searched({
    short: [...checkpointLaws, ...getLaws, ...headLaws],
    nightly: readModelLaws,
  }),
} as const

describe.each(DRIVERS)('A read model on %s', (name) => {
  const driver = driverForFile(name)
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const postgres = await openPostgres({ driver: driver(), schema })
    opened.push(postgres)
    return postgres
  })
  afterAll(async () => {
    for (const { close } of opened) await close()
  })

  test.each(LAWS[name])('$name', ({ check }) => check(home))
})
