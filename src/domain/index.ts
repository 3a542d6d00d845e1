// Deciders, messages, ids and references. A file that is exported whole has public names only.
export { type AnyEvent, OBJECT_IDS } from './aggregates.js'
export {
  type AlreadyExists,
  type Decider,
  fold,
  type NotFound,
  type ProofNotFound,
} from './decider.js'
// Domains of e-mail addresses.
export { domainStream } from './email-domain/aggregate.js'
export * from './email-domain/decider.js'
export type { DomainName } from './email-domain/domain-name.js'
export * from './email-domain/events.js'
export {
  VerifiedDomainClaimed,
  VerifiedDomainEvent,
  VerifiedDomainReleased,
  verifiedDomainStream,
} from './email-domain/verified-domain.js'
// Identity providers.
export { identityProviderStream } from './identity-provider/aggregate.js'
export * from './identity-provider/decider.js'
export * from './identity-provider/events.js'
export * from './identity-provider/login.js'
// Memberships of users in groups of identity providers.
export * from './membership/decider.js'
export * from './membership/events.js'
export type { Message, Patch, Upcaster, Upcasters } from './message.js'
// Projects.
export { projectStream } from './project/aggregate.js'
export * from './project/decider.js'
export * from './project/events.js'
export * from './project/login.js'
// Grants of projects to other organizations.
export { projectGrantStream } from './project-grant/aggregate.js'
export * from './project-grant/decider.js'
export * from './project-grant/events.js'
// Roles of projects.
export { projectRoleStream } from './project-role/aggregate.js'
export * from './project-role/decider.js'
export * from './project-role/events.js'
// Mappings of groups to roles.
export * from './role-mapping/decider.js'
export * from './role-mapping/events.js'
// Set-up links.
export { setupLinkStream } from './setup-link/aggregate.js'
export * from './setup-link/decider.js'
export * from './setup-link/events.js'
export {
  SetupLinkTokenClaimed,
  SetupLinkTokenEvent,
  setupLinkTokenStream,
} from './setup-link/token.js'
// Grants of roles to users.
export { userGrantStream } from './user-grant/aggregate.js'
export * from './user-grant/decider.js'
export * from './user-grant/events.js'
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
  SetupIntent,
  SetupLinkRef,
  StreamId,
  UserGrantRef,
  UserId,
} from './values.js'
