import { describe } from 'vitest'
import { NEWEST } from './editors.js'
import { objectionsSuite } from './objections-suite.js'

describe.each(NEWEST)('TypeScript %s', objectionsSuite)
