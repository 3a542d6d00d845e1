import { describe } from 'vitest'
import { planSuite } from './plan-suite.js'
import { STORES } from './stores.js'

describe.each(STORES)('plan on $name', ({ open }) => planSuite(open))
