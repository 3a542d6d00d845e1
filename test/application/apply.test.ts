import { describe } from 'vitest'
import { applySuite } from './apply-suite.js'
import { STORES } from './stores.js'

describe.each(STORES)('apply on $name', ({ open }) => applySuite(open))
