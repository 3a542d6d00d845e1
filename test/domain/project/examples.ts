import type {
  AddProject,
  DeactivateProject,
  PatchProject,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../../src/domain/project/command-schemas.js'
import type { ProjectEvent } from '../../../src/domain/project/events.js'
import { ProjectId } from '../../../src/domain/values.js'

/** Names the project of these examples. */
export const id = { id: ProjectId.parse('portal') }

export const portal = {
  ...id,
  name: 'Portal',
  projectRoleAssertion: true,
  projectRoleCheck: false,
  hasProjectCheck: true,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

export const gateway = {
  ...id,
  name: 'Gateway',
  projectRoleAssertion: false,
  projectRoleCheck: true,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
} as const

export const addPortal: AddProject = { type: 'AddProject', data: portal }
export const updateToGateway: UpdateProject = { type: 'UpdateProject', data: gateway }
export const deactivatePortal: DeactivateProject = { type: 'DeactivateProject', data: id }
export const reactivatePortal: ReactivateProject = { type: 'ReactivateProject', data: id }
export const removePortal: RemoveProject = { type: 'RemoveProject', data: id }

export const portalAdded: ProjectEvent = { type: 'project.added', data: portal }
export const gatewayAdded: ProjectEvent = { type: 'project.added', data: gateway }
export const updatedToGateway: ProjectEvent = { type: 'project.updated', data: gateway }
export const deactivated: ProjectEvent = { type: 'project.deactivated', data: id }
export const reactivated: ProjectEvent = { type: 'project.reactivated', data: id }
export const removed: ProjectEvent = { type: 'project.removed', data: id }

export const patchPortal: PatchProject = { type: 'PatchProject', data: gateway }
