// Deciders, messages, ids and references.
export type { AnyEvent } from './aggregates.js'
export {
  type AlreadyExists,
  type Decider,
  fold,
  type NotFound,
  type ProofNotFound,
} from './decider.js'
// Domains of e-mail addresses.
export { domainStream } from './email-domain/aggregate.js'
export {
  AddDomain,
  DomainCommand,
  RemoveDomain,
  SetDomainProvider,
  VerifyDomain,
} from './email-domain/commands.js'
export { type DomainRefusal, type DomainState, domain } from './email-domain/decider.js'
export type { DomainName } from './email-domain/domain-name.js'
export {
  DomainAdded,
  DomainEvent,
  DomainProviderSet,
  DomainRemoved,
  DomainVerified,
} from './email-domain/events.js'
export {
  VerifiedDomainClaimed,
  VerifiedDomainEvent,
  VerifiedDomainReleased,
  verifiedDomainStream,
} from './email-domain/verified-domain.js'
// Identity providers.
export { identityProviderStream } from './identity-provider/aggregate.js'
export {
  AddOidcIdentityProvider,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  OidcMappingField,
  PatchIdentityProvider,
  type ProviderFieldsInput,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  StylingType,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from './identity-provider/commands.js'
export {
  type IdentityProviderRefusal,
  type IdentityProviderState,
  identityProvider,
} from './identity-provider/decider.js'
export {
  ClientSecretResealed,
  IdentityProviderDeactivated,
  IdentityProviderEvent,
  IdentityProviderReactivated,
  IdentityProviderRemoved,
  IdentityProviderUpdated,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from './identity-provider/events.js'
export {
  authorizationScopes,
  type ExternalClaims,
  type ExternalUser,
  mapExternalUser,
  mayAutoRegister,
} from './identity-provider/login.js'
// Memberships of users in groups of identity providers.
export { MembershipCommand, RemoveMembership, ReportMembership } from './membership/commands.js'
export {
  type MembershipRefusal,
  type MembershipState,
  membership,
} from './membership/decider.js'
export { MembershipEvent, MembershipRemoved, MembershipReported } from './membership/events.js'
export type { Message, Patch, Upcaster, Upcasters } from './message.js'
// Projects.
export { projectStream } from './project/aggregate.js'
export {
  AddProject,
  DeactivateProject,
  PatchProject,
  PrivateLabelingSetting,
  ProjectCommand,
  type ProjectSettingsInput,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from './project/commands.js'
export { type ProjectRefusal, type ProjectState, project } from './project/decider.js'
export {
  ProjectAdded,
  ProjectDeactivated,
  ProjectEvent,
  ProjectReactivated,
  ProjectRemoved,
  ProjectUpdated,
} from './project/events.js'
export {
  brandingOrganization,
  checkLogin,
  type LoginProject,
  type LoginRefusal,
  type LoginUser,
  type ProjectGrantRequired,
  type ProjectInactive,
  type ProjectRoleRequired,
  type RoleInformation,
  roleClaims,
  rolesOfGroup,
} from './project/login.js'
// Grants of projects to other organizations.
export { projectGrantStream } from './project-grant/aggregate.js'
export {
  AddProjectGrant,
  DeactivateProjectGrant,
  ProjectGrantCommand,
  ReactivateProjectGrant,
  RemoveProjectGrant,
  UpdateProjectGrant,
} from './project-grant/commands.js'
export {
  currentProjectGrant,
  type ProjectGrantRefusal,
  type ProjectGrantRoleState,
  type ProjectGrantState,
  projectGrant,
} from './project-grant/decider.js'
export {
  ProjectGrantAdded,
  ProjectGrantDeactivated,
  ProjectGrantEvent,
  ProjectGrantReactivated,
  ProjectGrantRemoved,
  type ProjectGrantRole,
  ProjectGrantUpdated,
} from './project-grant/events.js'
// Roles of projects.
export { projectRoleStream } from './project-role/aggregate.js'
export {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  type ProjectRoleFieldsInput,
  RemoveProjectRole,
  UpdateProjectRole,
} from './project-role/commands.js'
export {
  type ProjectRoleRefusal,
  type ProjectRoleState,
  projectRole,
} from './project-role/decider.js'
export {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleRemoved,
  ProjectRoleUpdated,
} from './project-role/events.js'
// Mappings of groups to roles.
export {
  AddRoleMapping,
  AddRoleMappingRoles,
  RemoveRoleMapping,
  RemoveRoleMappingRoles,
  RoleMappingCommand,
  UpdateRoleMapping,
} from './role-mapping/commands.js'
export {
  type RoleMappingRefusal,
  type RoleMappingState,
  roleMapping,
} from './role-mapping/decider.js'
export {
  type MappedRole,
  RoleMappingAdded,
  RoleMappingEvent,
  RoleMappingRemoved,
  RoleMappingUpdated,
} from './role-mapping/events.js'
// Set-up links.
export { setupLinkStream } from './setup-link/aggregate.js'
export {
  CompleteSetupLink,
  IssueSetupLink,
  RevokeSetupLink,
  SetupLinkCommand,
  UseSetupLink,
} from './setup-link/commands.js'
export {
  type SetupLinkRefusal,
  type SetupLinkState,
  setupLink,
} from './setup-link/decider.js'
export {
  type SetupIntent,
  SetupLinkCompleted,
  SetupLinkEvent,
  SetupLinkIssued,
  SetupLinkRevoked,
  SetupLinkUsed,
} from './setup-link/events.js'
export {
  SetupLinkTokenClaimed,
  SetupLinkTokenEvent,
  setupLinkTokenStream,
} from './setup-link/token.js'
// Grants of roles to users.
export { userGrantStream } from './user-grant/aggregate.js'
export {
  AddUserGrant,
  AddUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
  RemoveUserGrantRoles,
  UpdateUserGrant,
  UserGrantCommand,
} from './user-grant/commands.js'
export {
  currentUserGrant,
  type UserGrantRefusal,
  type UserGrantState,
  userGrant,
} from './user-grant/decider.js'
export {
  UserGrantAdded,
  UserGrantDeactivated,
  UserGrantEvent,
  UserGrantReactivated,
  UserGrantRemoved,
  type UserGrantRole,
  UserGrantUpdated,
} from './user-grant/events.js'
export type {
  DomainRef,
  GrantedProjectTarget,
  GroupName,
  IdentityProviderRef,
  IdpId,
  LinkId,
  MembershipRef,
  ObjectRef,
  OrgId,
  OwnedTarget,
  Permission,
  PermissionTarget,
  ProjectGrantRef,
  ProjectId,
  ProjectRef,
  ProjectRoleRef,
  ProjectRoleTarget,
  RoleKey,
  RoleMappingRef,
  RoleMappingTarget,
  SealedSecret,
  SetupLinkRef,
  StreamId,
  UserGrantRef,
  UserId,
} from './values.js'
