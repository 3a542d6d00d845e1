import type { Iam } from '../../../index.js'
import { DomainService } from '../../gen/claviger/v1/domain_service_pb.js'
import { listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = DomainService.method

/** The operations of `DomainService`. */
export const domainOperations = ({ domains, history }: Iam): readonly Operation[] => [
  writing(rpc.addDomain, domains.add),
  writing(rpc.verifyDomain, domains.verify),
  writing(rpc.setDomainProvider, domains.setProvider),
  writing(rpc.removeDomain, domains.remove),
  showing(rpc.getDomain, domains.get),
  listing(rpc.listDomains, domains.list),
  listingHistory(rpc.listDomainHistory, history, 'domain'),
  showingPast(rpc.getDomainState, history, 'domain'),
]
