import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { IdentityProvider, ObjectDetails, Page, Project, ProjectRole } from '../../index.js'
import type { IdentityProviderSchema } from '../gen/claviger/v1/identity_provider_service_pb.js'
import type { ObjectDetailsSchema } from '../gen/claviger/v1/object_details_pb.js'
import type { ProjectRoleSchema } from '../gen/claviger/v1/project_role_service_pb.js'
import type { ProjectSchema } from '../gen/claviger/v1/project_service_pb.js'
import {
  labelingSettingNumber,
  mappingFieldNumber,
  stateNumber,
  stylingTypeNumber,
} from './enum-values.js'

/** Where an object stands in the log. Spec: Common response object `details`. */
export const detailsOf = ({
  sequence,
  creationDate,
  changeDate,
  resourceOwner,
}: ObjectDetails): MessageInitShape<typeof ObjectDetailsSchema> => ({
  sequence,
  creationDate: timestampFromDate(creationDate),
  changeDate: timestampFromDate(changeDate),
  resourceOwner,
})

/** The answer of most writes: `details` and nothing else. */
export const onlyDetails = ({ details }: { readonly details: ObjectDetails }) => ({
  details: detailsOf(details),
})

/** An identity provider as it is shown. */
export const identityProviderOf = (
  idp: IdentityProvider,
): MessageInitShape<typeof IdentityProviderSchema> => ({
  idpId: idp.idpId,
  name: idp.name,
  stylingType: stylingTypeNumber(idp.stylingType),
  clientId: idp.clientId,
  issuer: idp.issuer,
  scopes: [...idp.scopes],
  displayNameMapping: mappingFieldNumber(idp.displayNameMapping),
  usernameMapping: mappingFieldNumber(idp.usernameMapping),
  autoRegister: idp.autoRegister,
  state: stateNumber(idp.state),
  details: detailsOf(idp.details),
})

/** A project as it is shown. */
export const projectOf = (project: Project): MessageInitShape<typeof ProjectSchema> => ({
  id: project.id,
  name: project.name,
  projectRoleAssertion: project.projectRoleAssertion,
  projectRoleCheck: project.projectRoleCheck,
  hasProjectCheck: project.hasProjectCheck,
  privateLabelingSetting: labelingSettingNumber(project.privateLabelingSetting),
  state: stateNumber(project.state),
  details: detailsOf(project.details),
})

/** A role as it is shown. */
export const projectRoleOf = (role: ProjectRole): MessageInitShape<typeof ProjectRoleSchema> => ({
  projectId: role.projectId,
  roleKey: role.roleKey,
  displayName: role.displayName,
  group: role.group,
  state: stateNumber(role.state),
  details: detailsOf(role.details),
})

/** What every list says besides its rows. */
export const pageEndOf = ({ nextPageToken = '', totalSize, sequence }: Page<unknown>) => ({
  nextPageToken,
  totalSize,
  sequence,
})
