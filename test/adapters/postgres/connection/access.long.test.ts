import { describe } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { applySuite } from '../../../application/desired-state/apply-suite.js'
import { blockedSuite } from '../../../application/desired-state/blocked-suite.js'
import { planSuite } from '../../../application/desired-state/plan-suite.js'
import { supersededSuite } from '../../../application/desired-state/superseded-suite.js'
import { importSuite } from '../../../application/project-roles/import-suite.js'
import type { OpenStore } from '../../../application/stores.js'
import { searched } from '../../../nightly.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

const open: OpenStore = () =>
  openPostgres({ connectionString: server.connectionString, schema: newSchema() })

describe('On PostgreSQL, plan', () => planSuite(open))

// As in memory and on SQLite, whose decisions are the same: random states are fewer by day.
describe('On PostgreSQL, apply', () => applySuite(open, searched({ short: 0.25, nightly: 1 })))

describe('On PostgreSQL, removed ids', () => blockedSuite(open))

describe('On PostgreSQL, versions', () => supersededSuite(open))

describe('On PostgreSQL, import', () => importSuite(open))
