import type { ObjectRef } from './values.js'

// Deciders, messages, ids and references. A file that is exported whole has public names only.
export type { AnyEvent } from './aggregates.js'
export {
  type AlreadyExists,
  type Decider,
  fold,
  type NotFound,
  type ProofNotFound,
} from './decider.js'
// Domains of e-mail addresses.
export {
  type DomainRefusal,
  type DomainState,
  domain,
  domainStream,
} from './email-domain/aggregate.js'
export * from './email-domain/command-schemas.js'
export type { DomainName } from './email-domain/domain-name.js'
export * from './email-domain/events.js'
export {
  VerifiedDomainClaimed,
  VerifiedDomainEvent,
  VerifiedDomainReleased,
  verifiedDomainStream,
} from './email-domain/verified-domain.js'
// Identity providers.
export {
  type IdentityProviderRefusal,
  type IdentityProviderState,
  identityProvider,
  identityProviderStream,
} from './identity-provider/aggregate.js'
export * from './identity-provider/command-schemas.js'
export * from './identity-provider/events.js'
export * from './identity-provider/login.js'
export type {
  AdmissionRule,
  ClaimOfGroups,
  ClaimPath,
  SignInSettings,
  SignInSettingsInput,
} from './identity-provider/sign-in-settings.js'
// Memberships of users in groups of identity providers.
export { type MembershipRefusal, type MembershipState, membership } from './membership/aggregate.js'
export * from './membership/command-schemas.js'
export * from './membership/events.js'
export type { Message, Patch, Upcaster, Upcasters } from './message.js'
// Projects.
export {
  type ProjectRefusal,
  type ProjectState,
  project,
  projectStream,
} from './project/aggregate.js'
export * from './project/command-schemas.js'
export * from './project/events.js'
export * from './project/login.js'
// Grants of projects to other organizations.
export {
  currentProjectGrant,
  type ProjectGrantRefusal,
  type ProjectGrantRoleState,
  type ProjectGrantState,
  projectGrant,
  projectGrantStream,
} from './project-grant/aggregate.js'
export * from './project-grant/command-schemas.js'
export * from './project-grant/events.js'
// Roles of projects.
export {
  type ProjectRoleRefusal,
  type ProjectRoleState,
  projectRole,
  projectRoleStream,
} from './project-role/aggregate.js'
export * from './project-role/command-schemas.js'
export * from './project-role/events.js'
// Mappings of groups to roles.
export {
  type RoleMappingRefusal,
  type RoleMappingState,
  roleMapping,
} from './role-mapping/aggregate.js'
export * from './role-mapping/command-schemas.js'
export * from './role-mapping/events.js'
// Set-up links.
export {
  type SetupLinkRefusal,
  type SetupLinkState,
  setupLink,
  setupLinkStream,
} from './setup-link/aggregate.js'
export * from './setup-link/command-schemas.js'
export * from './setup-link/events.js'
export {
  SetupLinkTokenClaimed,
  SetupLinkTokenEvent,
  setupLinkTokenStream,
} from './setup-link/token.js'
// Grants of roles to users.
export {
  currentUserGrant,
  type UserGrantRefusal,
  type UserGrantState,
  userGrant,
  userGrantStream,
} from './user-grant/aggregate.js'
export * from './user-grant/command-schemas.js'
export * from './user-grant/events.js'
export {
  type DesiredStateTarget,
  type DomainRef,
  type GrantedProjectTarget,
  type GroupName,
  type IdentityProviderRef,
  type IdpId,
  type LinkId,
  type MembershipRef,
  OBJECT_IDS,
  type ObjectRef,
  type OrgId,
  type OwnedTarget,
  type Permission,
  type PermissionTarget,
  type ProjectGrantRef,
  type ProjectId,
  type ProjectRef,
  type ProjectRoleRef,
  type ProjectRoleTarget,
  type Resource,
  type RoleKey,
  type RoleMappingRef,
  type RoleMappingTarget,
  type SealedSecret,
  type SetupLinkRef,
  type StreamId,
  type UserGrantRef,
  type UserId,
} from './values.js'

/** A type of object, such as `project_role`. Declared here, so that the types of `claviger` do not load this file. */
export type ObjectType = ObjectRef['type']
