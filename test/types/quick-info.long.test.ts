import { describe } from 'vitest'
import { OLDER } from './editors.js'
import { quickInfoSuite } from './quick-info-suite.js'

describe.each(OLDER)('TypeScript %s', quickInfoSuite)
