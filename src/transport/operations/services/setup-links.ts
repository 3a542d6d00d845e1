import type { Iam } from '../../../index.js'
import { setupLinkService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import { getOperation, listOperation, type Operation, writeOperation } from '../operation.js'

/** The operations of `SetupLinkService`. */
export const setupLinkOperations = ({ setupLinks, history }: Iam): readonly Operation[] => [
  writeOperation(setupLinkService.issueSetupLink, setupLinks.issue),
  writeOperation(setupLinkService.revokeSetupLink, setupLinks.revoke),
  getOperation(setupLinkService.getSetupLink, setupLinks.get),
  listOperation(setupLinkService.listSetupLinks, setupLinks.list),
  historyOperation(setupLinkService.listSetupLinkHistory, history, 'setup_link'),
  pastOperation(setupLinkService.getSetupLinkState, history, 'setup_link'),
]
