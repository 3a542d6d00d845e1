import { describe } from 'vitest'
import { NEWEST } from './editors.js'
import { quickInfoSuite } from './quick-info-suite.js'

describe.each(NEWEST)('TypeScript %s', quickInfoSuite)
