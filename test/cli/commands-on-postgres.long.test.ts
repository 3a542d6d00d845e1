import { describe } from 'vitest'
import { commandsSuite } from './commands-suite.js'

describe('The command line on PostgreSQL', () => commandsSuite('PostgreSQL'))
