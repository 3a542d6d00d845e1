import type { FoundProject } from '../ports/access-reads.js'

/** Of a row of a project, what decides about access. */
export const foundProject = (row: FoundProject): FoundProject => ({
  name: row.name,
  projectRoleAssertion: row.projectRoleAssertion,
  projectRoleCheck: row.projectRoleCheck,
  hasProjectCheck: row.hasProjectCheck,
  privateLabelingSetting: row.privateLabelingSetting,
  state: row.state,
})
