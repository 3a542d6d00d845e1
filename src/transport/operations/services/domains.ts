import type { Iam } from '../../../index.js'
import { domainService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import { getOperation, listOperation, type Operation, writeOperation } from '../operation.js'

/** The operations of `DomainService`. */
export const domainOperations = ({ domains, history }: Iam): readonly Operation[] => [
  writeOperation(domainService.addDomain, domains.add),
  writeOperation(domainService.verifyDomain, domains.verify),
  writeOperation(domainService.setDomainProvider, domains.setProvider),
  writeOperation(domainService.removeDomain, domains.remove),
  getOperation(domainService.getDomain, domains.get),
  listOperation(domainService.listDomains, domains.list),
  historyOperation(domainService.listDomainHistory, history, 'domain'),
  pastOperation(domainService.getDomainState, history, 'domain'),
]
