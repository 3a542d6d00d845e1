import { describe } from 'vitest'
import { OLDER } from './editors.js'
import { objectionsSuite } from './objections-suite.js'

describe.each(OLDER)('TypeScript %s', objectionsSuite)
