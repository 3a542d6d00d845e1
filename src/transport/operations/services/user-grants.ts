import type { Iam } from '../../../index.js'
import { userGrantService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import {
  getOperation,
  listOperation,
  type Operation,
  readOperation,
  writeOperation,
} from '../operation.js'

/** The operations of `UserGrantService`. */
export const userGrantOperations = ({ userGrants, history }: Iam): readonly Operation[] => [
  writeOperation(userGrantService.addUserGrant, userGrants.add),
  writeOperation(userGrantService.updateUserGrant, userGrants.update),
  writeOperation(userGrantService.addUserGrantRoles, userGrants.addRoles),
  writeOperation(userGrantService.removeUserGrantRoles, userGrants.removeRoles),
  writeOperation(userGrantService.deactivateUserGrant, userGrants.deactivate),
  writeOperation(userGrantService.reactivateUserGrant, userGrants.reactivate),
  writeOperation(userGrantService.removeUserGrant, userGrants.remove),
  readOperation(
    userGrantService.removeAllUserGrants,
    userGrants.removeAllOfUser,
    (removed) => removed,
  ),
  getOperation(userGrantService.getUserGrant, userGrants.get),
  listOperation(userGrantService.listUserGrants, userGrants.list),
  historyOperation(userGrantService.listUserGrantHistory, history, 'user_grant'),
  pastOperation(userGrantService.getUserGrantState, history, 'user_grant'),
]
