import {
  AccessService,
  DomainService,
  HistoryService,
  IdentityProviderService,
  MembershipService,
  ProjectGrantService,
  ProjectRoleService,
  ProjectService,
  RoleMappingService,
  SetupLinkService,
  UserGrantService,
} from 'claviger/client'

/** Every service, in the order of the guide. */
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
] as const
