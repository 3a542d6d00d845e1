import {
  AccessService,
  HistoryService,
  IdentityProviderService,
  ProjectRoleService,
  ProjectService,
} from 'claviger/transport'

/** Every service, in the order of the guide. */
export const services = [
  IdentityProviderService,
  ProjectService,
  ProjectRoleService,
  HistoryService,
  AccessService,
] as const
