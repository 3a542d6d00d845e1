import { cases } from '../cases.js'
import {
  FIRST_CLIENTS,
  OTHER_CLIENTS,
  oneForEachStatus,
  paritySuite,
  SLOW_CLIENTS,
} from './parity-suite.js'

paritySuite(FIRST_CLIENTS, cases)

// The others make all calls in parity.long.test.ts.
paritySuite({ ...SLOW_CLIENTS, ...OTHER_CLIENTS }, oneForEachStatus)
