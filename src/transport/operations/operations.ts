import type { Iam } from '../../index.js'
import { accessOperations } from './access.js'
import { identityProviderOperations } from './identity-providers.js'
import type { Operation } from './operation.js'
import { projectGrantOperations } from './project-grants.js'
import { projectRoleOperations } from './project-roles.js'
import { projectOperations } from './projects.js'
import { historyOperations } from './reading/history.js'
import { userGrantOperations } from './user-grants.js'

/** All that the transport offers of the library. @throws TypeError when `iam` is not what `createIam` returns */
export const operationsOf = (iam: Iam): readonly Operation[] => {
  if (!iam?.projects) throw new TypeError('iam must be what createIam returns')
  return [
    ...identityProviderOperations(iam),
    ...projectOperations(iam),
    ...projectRoleOperations(iam),
    ...projectGrantOperations(iam),
    ...userGrantOperations(iam),
    ...historyOperations(iam),
    ...accessOperations(iam),
  ]
}
