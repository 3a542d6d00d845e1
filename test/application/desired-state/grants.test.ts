import { describe } from 'vitest'
import { STORES } from '../stores.js'
import { grantsSuite } from './grants-suite.js'

describe.each(STORES)('grants in desired states on $name', ({ open }) => grantsSuite(open))
