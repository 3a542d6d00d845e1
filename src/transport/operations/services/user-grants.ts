import type { Iam } from '../../../index.js'
import { UserGrantService } from '../../gen/claviger/v1/user_grant_service_pb.js'
import { answering, listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = UserGrantService.method

/** The operations of `UserGrantService`. */
export const userGrantOperations = ({ userGrants, history }: Iam): readonly Operation[] => [
  writing(rpc.addUserGrant, userGrants.add),
  writing(rpc.updateUserGrant, userGrants.update),
  writing(rpc.addUserGrantRoles, userGrants.addRoles),
  writing(rpc.removeUserGrantRoles, userGrants.removeRoles),
  writing(rpc.deactivateUserGrant, userGrants.deactivate),
  writing(rpc.reactivateUserGrant, userGrants.reactivate),
  writing(rpc.removeUserGrant, userGrants.remove),
  {
    ...answering(rpc.removeAllUserGrants, userGrants.removeAllOfUser, (removed) => removed),
    effect: 'organization',
  },
  showing(rpc.getUserGrant, userGrants.get),
  listing(rpc.listUserGrants, userGrants.list),
  listingHistory(rpc.listUserGrantHistory, history, 'user_grant'),
  showingPast(rpc.getUserGrantState, history, 'user_grant'),
]
