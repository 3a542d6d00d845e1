import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { describeGroups } from './groups-suite.js'

describeGroups('memory', async (now) => ({ store: memoryEventStore({ now }) }))
describeGroups('SQLite', async (now) => openSqlite(temporaryFile(), { now }))
