import { AccessService } from '../../../src/transport/gen/claviger/v1/access_service_pb.js'
import { DomainService } from '../../../src/transport/gen/claviger/v1/domain_service_pb.js'
import { HistoryService } from '../../../src/transport/gen/claviger/v1/history_service_pb.js'
import { IdentityProviderService } from '../../../src/transport/gen/claviger/v1/identity_provider_service_pb.js'
import { MembershipService } from '../../../src/transport/gen/claviger/v1/membership_service_pb.js'
import { ProjectGrantService } from '../../../src/transport/gen/claviger/v1/project_grant_service_pb.js'
import { ProjectRoleService } from '../../../src/transport/gen/claviger/v1/project_role_service_pb.js'
import { ProjectService } from '../../../src/transport/gen/claviger/v1/project_service_pb.js'
import { RoleMappingService } from '../../../src/transport/gen/claviger/v1/role_mapping_service_pb.js'
import { SetupLinkService } from '../../../src/transport/gen/claviger/v1/setup_link_service_pb.js'
import { UserGrantService } from '../../../src/transport/gen/claviger/v1/user_grant_service_pb.js'

/** Every service, from modules that a browser can load. */
export const services = [
  IdentityProviderService,
  ProjectService,
  ProjectRoleService,
  ProjectGrantService,
  UserGrantService,
  DomainService,
  RoleMappingService,
  MembershipService,
  SetupLinkService,
  HistoryService,
  AccessService,
]
