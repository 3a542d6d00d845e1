import type { Iam } from '../../../index.js'
import { membershipService, roleMappingService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import { getOperation, listOperation, type Operation, writeOperation } from '../operation.js'

/** The operations of `RoleMappingService`. */
export const roleMappingOperations = ({ roleMappings, history }: Iam): readonly Operation[] => [
  writeOperation(roleMappingService.addRoleMapping, roleMappings.add),
  writeOperation(roleMappingService.updateRoleMapping, roleMappings.update),
  writeOperation(roleMappingService.addRoleMappingRoles, roleMappings.addRoles),
  writeOperation(roleMappingService.removeRoleMappingRoles, roleMappings.removeRoles),
  writeOperation(roleMappingService.removeRoleMapping, roleMappings.remove),
  getOperation(roleMappingService.getRoleMapping, roleMappings.get),
  listOperation(roleMappingService.listRoleMappings, roleMappings.list),
  historyOperation(roleMappingService.listRoleMappingHistory, history, 'role_mapping'),
  pastOperation(roleMappingService.getRoleMappingState, history, 'role_mapping'),
]

/** The operations of `MembershipService`. */
export const membershipOperations = ({ memberships, history }: Iam): readonly Operation[] => [
  writeOperation(membershipService.reportMembership, memberships.report),
  writeOperation(membershipService.removeMembership, memberships.remove),
  getOperation(membershipService.getMembership, memberships.get),
  listOperation(membershipService.listMemberships, memberships.list),
  historyOperation(membershipService.listMembershipHistory, history, 'membership'),
  pastOperation(membershipService.getMembershipState, history, 'membership'),
]
