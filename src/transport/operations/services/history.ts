import type { Iam } from '../../../index.js'
import { historyService } from '../../wire.js'
import { historyOperation } from '../history.js'
import type { Operation } from '../operation.js'

/** The operations of `HistoryService`. */
export const historyOperations = ({ history }: Iam): readonly Operation[] => [
  historyOperation(historyService.listHistory, history),
]
