import type { Iam } from '../../index.js'
import type { IdentityProviderTest } from '../options.js'
import type { Operation } from './operation.js'
import { historyOperations } from './reading/history.js'
import { accessOperations } from './services/access.js'
import { domainOperations } from './services/domains.js'
import { identityProviderOperations } from './services/identity-providers.js'
import { projectGrantOperations } from './services/project-grants.js'
import { projectRoleOperations } from './services/project-roles.js'
import { projectOperations } from './services/projects.js'
import { testingIdentityProvider } from './services/testing-identity-provider.js'
import { userGrantOperations } from './services/user-grants.js'

/** What operations need of the options. */
interface Needed {
  readonly testIdentityProvider?: IdentityProviderTest | undefined
}

/** All that the transport offers of the library. @throws TypeError when `iam` is not what `createIam` returns */
export const operationsOf = (iam: Iam, needed: Needed = {}): readonly Operation[] => {
  if (!iam?.projects) throw new TypeError('iam must be what createIam returns')
  return [
    ...identityProviderOperations(iam),
    testingIdentityProvider(iam, needed.testIdentityProvider),
    ...projectOperations(iam),
    ...projectRoleOperations(iam),
    ...projectGrantOperations(iam),
    ...userGrantOperations(iam),
    ...domainOperations(iam),
    ...historyOperations(iam),
    ...accessOperations(iam),
  ]
}
