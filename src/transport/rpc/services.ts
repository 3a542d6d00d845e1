import type { DescMethodUnary, DescService } from '@bufbuild/protobuf'
import { AccessService } from '../gen/claviger/v1/access_service_pb.js'
import { DomainService } from '../gen/claviger/v1/domain_service_pb.js'
import { HistoryService } from '../gen/claviger/v1/history_service_pb.js'
import { IdentityProviderService } from '../gen/claviger/v1/identity_provider_service_pb.js'
import { MembershipService } from '../gen/claviger/v1/membership_service_pb.js'
import { ProjectGrantService } from '../gen/claviger/v1/project_grant_service_pb.js'
import { ProjectRoleService } from '../gen/claviger/v1/project_role_service_pb.js'
import { ProjectService } from '../gen/claviger/v1/project_service_pb.js'
import { RoleMappingService } from '../gen/claviger/v1/role_mapping_service_pb.js'
import { SetupLinkService } from '../gen/claviger/v1/setup_link_service_pb.js'
import { UserGrantService } from '../gen/claviger/v1/user_grant_service_pb.js'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import type { WireMethod } from '../wire.js'

/** The descriptors of our services. */
export const SERVICES: readonly DescService[] = [
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

/** The descriptor of a method. @throws TypeError if the generated code does not have it */
export const descriptorOf = ({ service, name }: WireMethod): DescMethodUnary => {
  const found = [...SERVICES, Health]
    .find(({ typeName }) => typeName === service)
    ?.methods.find((method): method is DescMethodUnary => method.name === name)
  if (!found) throw new TypeError(`${service}/${name} has no descriptor`)
  return found
}
