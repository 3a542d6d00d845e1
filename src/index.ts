// What methods answer with, for hosts that name it and have no `neverthrow` of their own.
export type { Result, ResultAsync } from 'neverthrow'
export { checkAppend } from './adapters/check-append.js'
export type { Clock } from './adapters/clock.js'
export type { InvalidAppend } from './adapters/invalid-append.js'
export { type MemoryEventStoreOptions, memoryEventStore } from './adapters/memory/event-store.js'
export { memoryReadModel } from './adapters/memory/read-model.js'
export { aesGcmCipher } from './adapters/webcrypto/aes-gcm-cipher.js'
export type { Applied, AppliedChange } from './application/access/applied.js'
export { type Access, defineAccess } from './application/access/define-access.js'
export { accessJsonSchema, DesiredAccess, readAccess } from './application/access/desired-access.js'
export type { DesiredIdentityProvider } from './application/access/desired-identity-provider.js'
export type {
  DesiredProject,
  DesiredRole,
  DesiredSettings,
} from './application/access/desired-project.js'
export { formatPlan } from './application/access/format-plan.js'
export { type Counts, Plan } from './application/access/plan.js'
export type { Action, PlannedChange } from './application/access/planned-change.js'
export type { PlannedEvent } from './application/access/planned-event.js'
export type { FieldValue, PlannedField } from './application/access/planned-field.js'
export type { AddOidcInput } from './application/add-oidc-identity-provider.js'
export type { AddProjectInput, ProjectIds } from './application/add-project.js'
export type {
  AddProjectRoleInput,
  AddProjectRolesInput,
  GivenRole,
  ProjectRolesIds,
} from './application/add-project-roles.js'
export type { CatchUpOptions, Progress } from './application/catch-up.js'
export type { IdentityProviderIds } from './application/change-identity-provider.js'
export type { ProjectRoleIds } from './application/change-project-role.js'
export type { CheckLoginInput } from './application/check-login.js'
export type { CheckSecretsOptions, SecretsChecked } from './application/check-secrets.js'
export {
  type Context,
  checkCaller,
  type DryRunContext,
  type WriteContext,
} from './application/context.js'
export {
  type Copied,
  type CopyOptions,
  type CopyProgress,
  copyEvents,
  type DifferentLog,
} from './application/copy-events.js'
export type {
  Aborted,
  Cancelled,
  IamError,
  IdempotencyKeyReused,
  InvalidArgument,
  Moved,
  PermissionDenied,
  PlanOutdated,
  ProjectionFailed,
  SequenceMismatch,
  SourceFailed,
  Unauthenticated,
  Unavailable,
  Violation,
} from './application/errors.js'
export type { TextFilter } from './application/given-list.js'
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
export { httpStatusOf } from './application/http-status.js'
export type { History, Iam } from './application/iam.js'
export type {
  IdentityProviderInput,
  IdentityProviders,
  UpdateIdentityProviderInput,
} from './application/identity-providers.js'
export type { RefusedRow } from './application/import-batch.js'
export type {
  ImportProgress,
  ImportProjectRolesInput,
  ImportReport,
} from './application/import-project-roles.js'
export type { Json, JsonObject, JsonOf } from './application/json.js'
export type { Page } from './application/list.js'
export type { HistoryPage, ListHistoryInput } from './application/list-history.js'
export type {
  ListIdentityProvidersInput,
  ListProjectRolesInput,
  ListProjectsInput,
} from './application/list-input.js'
export type { LongContext, LongWrite, Read, Write } from './application/method.js'
export { IamFailure, orThrow } from './application/or-throw.js'
export type { Planned, Written } from './application/outcome.js'
export type { PatchIdentityProviderInput } from './application/patch-identity-provider.js'
export { permissionsFromCaller } from './application/permissions-from-caller.js'
export type {
  PatchProjectRoleInput,
  ProjectRoleInput,
  ProjectRoles,
  UpdateProjectRoleInput,
} from './application/project-roles.js'
export type {
  PatchProjectInput,
  ProjectInput,
  Projects,
  UpdateProjectInput,
} from './application/projects.js'
export type { ResealProgress, ResealReport } from './application/reseal-secrets.js'
export type { RevealedSecret } from './application/reveal-client-secret.js'
export type { StateAtInput } from './application/state-at.js'
export { SubscriptionEnded } from './application/subscribe.js'
export type { SubscribeOptions } from './application/subscribe-options.js'
export { toJson } from './application/to-json.js'
export {
  type AnyError,
  isIamError,
  type Status,
  type StatusDetail,
  toStatus,
} from './application/to-status.js'
export type { UpdateOidcConfigInput } from './application/update-oidc-config.js'
export {
  type LogFault,
  type PositionOutOfOrder,
  type SealBroken,
  type Verified,
  type VerifyOptions,
  type VerifyProgress,
  type VersionOutOfOrder,
  verify,
} from './application/verify.js'
export { createIam, type IamOptions } from './create-iam.js'
export { type Decider, fold } from './domain/decider.js'
export {
  AddOidcIdentityProvider,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  OidcMappingField,
  PatchIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  StylingType,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from './domain/identity-provider/commands.js'
export {
  type IdentityProviderRefusal,
  type IdentityProviderState,
  identityProvider,
} from './domain/identity-provider/decider.js'
export {
  ClientSecretResealed,
  IdentityProviderDeactivated,
  IdentityProviderEvent,
  IdentityProviderReactivated,
  IdentityProviderRemoved,
  IdentityProviderUpdated,
  identityProviderStream,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from './domain/identity-provider/events.js'
export {
  authorizationScopes,
  type ExternalClaims,
  type ExternalUser,
  mapExternalUser,
  mayAutoRegister,
} from './domain/identity-provider/login.js'
export type { Message, Patch, Upcaster, Upcasters } from './domain/message.js'
export {
  AddProject,
  DeactivateProject,
  PatchProject,
  PrivateLabelingSetting,
  ProjectCommand,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from './domain/project/commands.js'
export { type ProjectRefusal, type ProjectState, project } from './domain/project/decider.js'
export {
  ProjectAdded,
  ProjectDeactivated,
  ProjectEvent,
  ProjectReactivated,
  ProjectRemoved,
  ProjectUpdated,
  projectStream,
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
export {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from './domain/project-role/commands.js'
export {
  type ProjectRoleRefusal,
  type ProjectRoleState,
  projectRole,
} from './domain/project-role/decider.js'
export {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleRemoved,
  ProjectRoleUpdated,
  projectRoleStream,
} from './domain/project-role/events.js'
export type { AlreadyExists, NotFound } from './domain/refusals.js'
export type {
  IdentityProviderRef,
  IdpId,
  ObjectRef,
  OrgId,
  ProjectId,
  ProjectRef,
  ProjectRoleRef,
  RoleKey,
  SealedSecret,
  StreamId,
} from './domain/values.js'
export type { Authorize, Caller, Permission, PermissionQuestion } from './ports/authorize.js'
export {
  type Actor,
  type Append,
  type EventCount,
  type EventRestore,
  type EventStore,
  type IdempotencyKeyUsed,
  MAX_APPEND_BYTES,
  MAX_WRITES,
  type Metadata,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type StreamWrite,
  timeOf,
  type Version,
  type VersionConflict,
} from './ports/event-store.js'
export type { KnownEvent } from './ports/known-event.js'
export type { Projection } from './ports/projection.js'
export type {
  Condition,
  FieldChange,
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  IdentityProvider,
  Listing,
  ListQuery,
  ObjectDetails,
  Project,
  ProjectRole,
  ReadAtHead,
  ReadModel,
  RefOf,
  SortKey,
  SortValue,
  Views,
  ViewType,
} from './ports/read-model.js'
export type { SecretCipher, SecretOwner, SecretUnreadable } from './ports/secret-cipher.js'
export { type FaultOutcome, StoreFault } from './ports/store-fault.js'
export type {
  CorruptEvent,
  EventAddress,
  UnknownEvent,
  UnreadableEvent,
} from './ports/unreadable-event.js'
