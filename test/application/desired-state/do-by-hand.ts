import type { Iam } from '../../../src/application/iam.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import type { ByHand } from './desired-states.js'
import { context } from './organization.js'

/** Makes a change as an admin might; refusals are ignored. */
export const doByHand = async (iam: Iam, deed: ByHand): Promise<void> => {
  const { projectId } = deed
  switch (deed.what) {
    case 'addRole':
    case 'updateRole': {
      const { roleKey, displayName } = deed
      const method = deed.what === 'addRole' ? iam.projectRoles.add : iam.projectRoles.update
      await method({ group: '', projectId, roleKey, displayName }, context)
      return
    }
    case 'removeRole':
      await iam.projectRoles.remove({ projectId, roleKey: deed.roleKey }, context)
      return
    case 'grant':
    case 'narrowGrant': {
      const { grantedOrgId, roleKey } = deed
      const method = deed.what === 'grant' ? iam.projectGrants.add : iam.projectGrants.update
      await method({ projectId, grantedOrgId, roleKeys: [roleKey] }, context)
      return
    }
    case 'removeGrant':
      await iam.projectGrants.remove({ projectId, grantedOrgId: deed.grantedOrgId }, context)
      return
    case 'updateProject':
      await iam.projects.update({ ...PROJECT_DEFAULTS, id: projectId, name: 'By hand' }, context)
      return
    case 'deactivateProject':
      await iam.projects.deactivate({ id: projectId }, context)
  }
}
