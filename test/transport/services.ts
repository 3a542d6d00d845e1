import {
  AccessService,
  DomainService,
  HistoryService,
  IdentityProviderService,
  ProjectGrantService,
  ProjectRoleService,
  ProjectService,
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
  HistoryService,
  AccessService,
] as const
