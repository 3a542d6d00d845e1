import { describe } from 'vitest'
import { importSuite } from './import-suite.js'
import { STORES } from './stores.js'

describe.each(STORES)('import on $name', ({ open }) => importSuite(open))
