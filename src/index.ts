// The public names, by theme: Biome sorts exports between headings that stand alone. A file of methods is exported whole,
// except for its default export, which binds them to a host: `export *` leaves it out.

// `createIam`, and how its methods are called.

export type { Result, ResultAsync } from 'neverthrow'
export type { History, Iam } from './application/iam.js'
export type { ImportProgress, ImportReport, RefusedRow } from './application/import-rows.js'
export {
  type Context,
  checkCaller,
  type DryRunContext,
  type LongContext,
  type WriteContext,
} from './application/method/context.js'
export { permissionsFromCaller } from './application/method/input.js'
export type {
  BatchWrite,
  Impact,
  LongWrite,
  Planned,
  Read,
  Write,
  Written,
} from './application/method/method.js'
export type { Page, TextFilter } from './application/reading/list.js'
export {
  type AccessPage,
  type ItemPage,
  items,
  type PageInput,
} from './application/reading/pages.js'
export { createIam, type IamOptions } from './create-iam.js'

// Errors.

export type {
  Aborted,
  AccessDenied,
  AccessReason,
  Cancelled,
  DifferentLog,
  IamError,
  IdempotencyKeyReused,
  InvalidArgument,
  LogChanged,
  LogFault,
  Moved,
  NotConfigured,
  PermissionDenied,
  PlanOutdated,
  PositionOutOfOrder,
  ProjectionFailed,
  Protected,
  ReadError,
  SealBroken,
  SequenceMismatch,
  SourceFailed,
  Unauthenticated,
  Unavailable,
  VersionOutOfOrder,
  Violation,
  WriteError,
} from './application/errors/errors.js'
export {
  type AnyError,
  httpStatusOf,
  IamFailure,
  isIamError,
  type Json,
  type JsonObject,
  type JsonOf,
  orThrow,
  type Status,
  type StatusDetail,
  toJson,
  toStatus,
} from './application/errors/to-status.js'

// Identity providers.

export type { RevealedSecret } from './application/identity-providers/client-secrets.js'
export type * from './application/identity-providers/identity-provider-input.js'
export type * from './application/identity-providers/identity-providers.js'
export type {
  CheckSecretsOptions,
  ResealProgress,
  ResealReport,
  SecretsChecked,
} from './application/identity-providers/reseal-secrets.js'

// Projects, their roles and grants, and the rules for a login.

export type * from './application/project-grants/project-grants.js'
export type {
  AddProjectRoleInput,
  AddProjectRolesInput,
  NewRoleInput,
  ProjectRolesIds,
} from './application/project-roles/add-project-roles.js'
export type { ImportProjectRolesInput } from './application/project-roles/import-project-roles.js'
export type * from './application/project-roles/project-roles.js'
export type { CheckLoginInput, RoleClaimsInput } from './application/projects/login.js'
export type * from './application/projects/projects.js'

// Roles of users and groups, and who has access.

export type {
  AccessChecks,
  CallerPermissions,
  PermissionsInput,
  RolesOfInput,
  WhoHasInput,
} from './application/access/access.js'
export type {
  AskAccess,
  CheckAccessInput,
  ExplainAccessInput,
  Misread,
} from './application/access/check-access.js'
export type {
  AccessCause,
  AccessExplanation,
  OtherCause,
} from './application/access/explain-access.js'
export type { UsersInput } from './application/access/list-users.js'
export type {
  AskLive,
  LiveChecks,
  LiveOptions,
  LiveQuestion,
} from './application/access/live-checks.js'
export {
  type PermissionsFromRolesOptions,
  permissionsFromRoles,
} from './application/access/permissions-from-roles.js'
export type {
  LiveScopesQuestion,
  PermissionOrRole,
  Scope,
  ScopesOfInput,
} from './application/access/scopes.js'
export type {
  AccessOf,
  AskedOfUser,
  UserAccess,
  UserAccessOptions,
} from './application/access/user-access.js'
export type { AccessCheck } from './application/grant-rules/judge-access.js'
export type * from './application/memberships/memberships.js'
export type { PermissionName, Register, RoleKeyName } from './application/method/names.js'
export type * from './application/role-mappings/role-mappings.js'
export type { ImportUserGrantsInput } from './application/user-grants/import-user-grants.js'
export type {
  MembershipIds,
  RemovedMapping,
  RemovedOfResource,
  RemovedOfUser,
} from './application/user-grants/remove-all.js'
export type {
  ListUserGrantsInput,
  RemoveUserRolesInput,
  ResourceInput,
  UserGrantInput,
  UserGrantRolesInput,
  UserInput,
  UserRoleInput,
} from './application/user-grants/user-grant-input.js'
export type * from './application/user-grants/user-grants.js'

// Domains of e-mail addresses.

export type * from './application/domains/domains.js'

// Set-up links.

export type {
  ConfirmDraftInput,
  DraftInput,
  RedeemedSetupLink,
  RedeemOptions,
  RedeemSetupLinkInput,
  SetupLinkIds,
} from './application/setup-links/redeem-setup-link.js'
export type * from './application/setup-links/setup-links.js'

// Access declared in code: desired states and plans.

export {
  type Access,
  accessJsonSchema,
  DesiredAccess,
  type DesiredIdentityProvider,
  defineAccess,
  readAccess,
  type SealedAccess,
  type SealedIdentityProvider,
} from './application/desired-state/declared/desired-access.js'
export type {
  DesiredGrant,
  DesiredMapping,
  DesiredProject,
  DesiredRole,
  DesiredSettings,
} from './application/desired-state/declared/desired-project.js'
export {
  type Action,
  type Applied,
  type AppliedChange,
  type Counts,
  type FieldValue,
  formatPlan,
  Plan,
  type PlannedChange,
  type PlannedField,
  type PlanWarning,
} from './application/desired-state/plan/plan.js'

// History, and following the log.

export type { CatchUpOptions, Progress } from './application/following/catch-up.js'
export type { VerifyProgress } from './application/following/log-pages.js'
export { type SubscribeOptions, SubscriptionEnded } from './application/following/subscribe.js'
export {
  type Copied,
  type CopyOptions,
  type CopyProgress,
  copyEvents,
  type Verified,
  type VerifyOptions,
  verify,
} from './application/following/verify.js'
export type { ListHistoryInput } from './application/reading/history.js'
export type { HistoryPage } from './application/reading/pages.js'
export type { StateAtInput } from './application/reading/state-at.js'

// Metrics, traces and logs.

export type {
  Appended,
  CallDone,
  CaughtUp,
  Conflicted,
  FaultKind,
  FaultSeen,
  Hooks,
  Retried,
} from './application/hooks.js'

// Objects as reads return them, and exports of 0.1 that are now in `claviger/domain`, which has all aggregates.

export type { ObjectDetails } from './domain/aggregate.js'
export {
  type AlreadyExists,
  type Decider,
  fold,
  type NotFound,
  type ProofNotFound,
} from './domain/decider.js'
export type { Domain } from './domain/email-domain/aggregate.js'
export type { RoleSource } from './domain/facts.js'
export {
  type IdentityProvider,
  type IdentityProviderRefusal,
  type IdentityProviderState,
  identityProvider,
  identityProviderStream,
} from './domain/identity-provider/aggregate.js'
export {
  AddOidcIdentityProvider,
  ConfigureSignIn,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  OidcMappingField,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  StylingType,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from './domain/identity-provider/command-schemas.js'
export {
  ClientSecretResealed,
  IdentityProviderDeactivated,
  IdentityProviderEvent,
  IdentityProviderReactivated,
  IdentityProviderRemoved,
  IdentityProviderUpdated,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
  SignInConfigured,
} from './domain/identity-provider/events.js'
export {
  authorizationScopes,
  type ExternalClaims,
  type ExternalUser,
  mapExternalUser,
  mayAutoRegister,
} from './domain/identity-provider/login.js'
export type {
  AdmissionRule,
  ClaimOfGroups,
  ClaimPath,
  SignInSettings,
  SignInSettingsInput,
} from './domain/identity-provider/sign-in-settings.js'
export type { Membership } from './domain/membership/aggregate.js'
export type { Message, Upcaster, Upcasters } from './domain/message.js'
export {
  type Project,
  type ProjectRefusal,
  type ProjectState,
  project,
  projectStream,
} from './domain/project/aggregate.js'
export {
  AddProject,
  DeactivateProject,
  PrivateLabelingSetting,
  ProjectCommand,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from './domain/project/command-schemas.js'
export {
  ProjectAdded,
  ProjectDeactivated,
  ProjectEvent,
  ProjectReactivated,
  ProjectRemoved,
  ProjectUpdated,
} from './domain/project/events.js'
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
} from './domain/project/login.js'
export type { ProjectGrant } from './domain/project-grant/aggregate.js'
export {
  type ProjectRole,
  type ProjectRoleRefusal,
  type ProjectRoleState,
  projectRole,
  projectRoleStream,
} from './domain/project-role/aggregate.js'
export {
  AddProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from './domain/project-role/command-schemas.js'
export {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleRemoved,
  ProjectRoleUpdated,
} from './domain/project-role/events.js'
export type { RoleMapping, RoleMappingIds } from './domain/role-mapping/aggregate.js'
export type { SetupLink } from './domain/setup-link/aggregate.js'
export type { ProviderCheckName, SetupIntent } from './domain/setup-link/events.js'
export type { GrantedRole, UserGrant, UserGrantIds } from './domain/user-grant/aggregate.js'

// Ids, references and permissions.

export {
  type DomainRef,
  type IdentityProviderRef,
  type IdpId,
  type ObjectRef,
  type OrgId,
  PERMISSIONS,
  type Permission,
  type PermissionTarget,
  type ProjectGrantRef,
  type ProjectId,
  type ProjectRef,
  type ProjectRoleRef,
  type RoleKey,
  type SealedSecret,
  type SetupLinkRef,
  type StreamId,
  type UserGrantRef,
} from './domain/values.js'

// The ports, a store and a read model in memory, and a cipher.

export { type MemoryEventStoreOptions, memoryEventStore } from './adapters/memory/event-store.js'
export { memoryReadModel } from './adapters/memory/read-model.js'
export type { Clock } from './adapters/store/record-events.js'
export { checkAppend, type InvalidAppend } from './adapters/store/record-events.js'
export { aesGcmCipher } from './adapters/webcrypto/aes-gcm-cipher.js'
export type {
  Affected,
  AffectedRole,
  HeldRole,
  Holder,
  RoleOfUser,
  Source,
  UserRoles,
} from './ports/access-reads.js'
export {
  type Actor,
  type Append,
  type EventCount,
  type EventRestore,
  type EventStore,
  type FaultOutcome,
  type IdempotencyKeyUsed,
  type InTransaction,
  InTransactionFailed,
  MAX_APPEND_BYTES,
  MAX_WRITES,
  type Metadata,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreFault,
  type StreamRead,
  type StreamWrite,
  timeOf,
  type Version,
  type VersionConflict,
} from './ports/event-store.js'
export type { Authorize, Caller, DomainOptions, PermissionQuestion } from './ports/host.js'
export type {
  CorruptEvent,
  EventAddress,
  KnownEvent,
  UnknownEvent,
  UnreadableEvent,
} from './ports/known-event.js'
export type { Projection } from './ports/projection.js'
export type {
  Condition,
  FieldChange,
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadModel,
  RefOf,
  SignInRoute,
  SortKey,
  SortValue,
  Views,
  ViewType,
} from './ports/read-model.js'
export type { SecretCipher, SecretOwner, SecretUnreadable } from './ports/secret-cipher.js'
export type { ListedCursors, WebhookCursors } from './ports/webhook-cursors.js'
