import {
  AccessService,
  DomainService,
  HistoryService,
  IdentityProviderService,
  ProjectGrantService,
  ProjectRoleService,
  ProjectService,
  SetupLinkService,
  UserGrantService,
} from 'claviger/transport'

/** Every service, in the order of the guide. */
export const services = [
  IdentityProviderService,
  ProjectService,
  ProjectRoleService,
  ProjectGrantService,
  UserGrantService,
  DomainService,
  SetupLinkService,
  HistoryService,
  AccessService,
] as const
