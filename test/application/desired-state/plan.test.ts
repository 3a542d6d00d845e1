import { describe } from 'vitest'
import { STORES } from '../stores.js'
import { planSuite } from './plan-suite.js'

describe.each(STORES)('plan on $name', ({ open }) => planSuite(open))
