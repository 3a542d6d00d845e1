import { it } from 'vitest'
import { storm } from './storm.js'

it('10,000 pushes over faults and kills lose and revive nothing', () => storm(10_000, 4), 600_000)
