import { desiredStateRefusals, desiredStates } from './cases/access.js'
import type { Case } from './cases/case.js'
import { domainRefusals, domains } from './cases/domains.js'
import { dryRunRefusals, dryRuns } from './cases/dry-runs.js'
import { faults } from './cases/faults.js'
import { grantRefusals, grants } from './cases/grants.js'
import { headers } from './cases/headers.js'
import { histories, historyRefusals } from './cases/history.js'
import { reasonRefusals, reasons } from './cases/reasons.js'
import { errors, transportRefusals } from './cases/refusals.js'
import { roleMappingRefusals, roleMappings } from './cases/role-mappings.js'
import { setupLinkRefusals, setupLinks } from './cases/setup-links.js'
import { successes } from './cases/successes.js'

/** Everything that each client goes through. */
export const cases: readonly Case[] = [
  ...successes.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...dryRuns.map(([name, ...made]) => ({ name: `Dry run: ${name}`, calls: made, httpStatus: 200 })),
  ...desiredStates.map(([name, ...made]) => ({
    name: `A desired state ${name}`,
    calls: made,
    httpStatus: 200,
  })),
  ...histories.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...grants.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...domains.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...roleMappings.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...setupLinks.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...reasons.map(([name, ...made]) => ({ name: `Reasons ${name}`, calls: made, httpStatus: 200 })),
  ...headers.map(([name, ...made]) => ({ name, calls: made, httpStatus: 200 })),
  ...[
    ...errors,
    ...historyRefusals,
    ...grantRefusals,
    ...domainRefusals,
    ...roleMappingRefusals,
    ...setupLinkRefusals,
    ...dryRunRefusals,
    ...desiredStateRefusals,
    ...reasonRefusals,
  ].map(([name, httpStatus, ...made]) => ({
    name: `Refused: ${name}`,
    calls: made,
    httpStatus,
  })),
  ...transportRefusals,
  ...faults,
]
