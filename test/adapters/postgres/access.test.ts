import { describe } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { applySuite } from '../../application/apply-suite.js'
import { importSuite } from '../../application/import-suite.js'
import { planSuite } from '../../application/plan-suite.js'
import type { OpenStore } from '../../application/stores.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

const open: OpenStore = () =>
  openPostgres({ connectionString: server.connectionString, schema: newSchema() })

describe('On PostgreSQL, plan', () => planSuite(open))

describe('On PostgreSQL, apply', () => applySuite(open))

describe('On PostgreSQL, import', () => importSuite(open))
