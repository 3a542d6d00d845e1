import { cases } from '../cases.js'
import { OTHER_CLIENTS, paritySuite } from './parity-suite.js'

paritySuite(OTHER_CLIENTS, cases)
