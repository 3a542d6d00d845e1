import { describe } from 'vitest'
import { STORES } from '../stores.js'
import { importSuite } from './import-suite.js'

describe.each(STORES)('import on $name', ({ open }) => importSuite(open))
