import { it } from 'vitest'
import { searched } from '../nightly.js'
import { storm } from './storm.js'

const PUSHES = searched({ short: 2_000, nightly: 10_000 })

it(
  `${PUSHES} pushes over faults and kills lose and revive nothing`,
  () => storm(PUSHES, 4),
  600_000,
)
