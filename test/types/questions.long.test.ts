import { describe } from 'vitest'
import { OLDER } from './editors.js'
import { questionsSuite } from './questions-suite.js'

describe.each(OLDER)('TypeScript %s', questionsSuite)
