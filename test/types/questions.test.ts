import { describe } from 'vitest'
import { NEWEST } from './editors.js'
import { questionsSuite } from './questions-suite.js'

describe.each(NEWEST)('TypeScript %s', questionsSuite)
