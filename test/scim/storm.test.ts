import { it } from 'vitest'
import { storm } from './storm.js'

it.each([1, 2, 3])('500 pushes over faults and kills lose and revive nothing (%i)', (seed) =>
  storm(500, seed),
)
