import * as z from 'zod/mini'
import type { Aggregate } from './aggregate.js'
import { type Domain, domains } from './email-domain/aggregate.js'
import type { DomainEvent } from './email-domain/events.js'
import { type VerifiedDomainEvent, verifiedDomains } from './email-domain/verified-domain.js'
import { type IdentityProvider, identityProviders } from './identity-provider/aggregate.js'
import type { IdentityProviderEvent } from './identity-provider/events.js'
import { type Membership, memberships } from './membership/aggregate.js'
import type { MembershipEvent } from './membership/events.js'
import type { EventSchema } from './message.js'
import { type Project, projects } from './project/aggregate.js'
import type { ProjectEvent } from './project/events.js'
import { type ProjectGrant, projectGrants } from './project-grant/aggregate.js'
import type { ProjectGrantEvent } from './project-grant/events.js'
import { type ProjectRole, projectRoles } from './project-role/aggregate.js'
import type { ProjectRoleEvent } from './project-role/events.js'
import { type RoleMapping, roleMappings } from './role-mapping/aggregate.js'
import type { RoleMappingEvent } from './role-mapping/events.js'
import { type SetupLink, setupLinks } from './setup-link/aggregate.js'
import type { SetupLinkEvent } from './setup-link/events.js'
import { type SetupLinkTokenEvent, setupLinkTokens } from './setup-link/token.js'
import { type UserGrant, userGrants } from './user-grant/aggregate.js'
import type { UserGrantEvent } from './user-grant/events.js'
import { fieldOf, OBJECT_IDS, type ObjectRef } from './values.js'

const all = {
  identity_provider: identityProviders,
  project: projects,
  project_role: projectRoles,
  project_grant: projectGrants,
  user_grant: userGrants,
  domain: domains,
  role_mapping: roleMappings,
  membership: memberships,
  setup_link: setupLinks,
} satisfies { readonly [Type in ObjectRef['type']]: { readonly type: Type } }

type Listed = (typeof all)[keyof typeof all]

/** The views that reads return, by type of object. */
export interface Views {
  /** As `iam.identityProviders` reads it. */
  readonly identity_provider: IdentityProvider
  /** As `iam.projects` reads it. */
  readonly project: Project
  /** As `iam.projectRoles` reads it. */
  readonly project_role: ProjectRole
  /** As `iam.projectGrants` reads it. */
  readonly project_grant: ProjectGrant
  /** As `iam.userGrants` reads it. */
  readonly user_grant: UserGrant
  /** As `iam.domains` reads it. */
  readonly domain: Domain
  /** As `iam.roleMappings` reads it. */
  readonly role_mapping: RoleMapping
  /** As `iam.memberships` reads it. */
  readonly membership: Membership
  /** As `iam.setupLinks` reads it. */
  readonly setup_link: SetupLink
}

export type AnyView = ReturnType<Listed['show']>

/** An event of any stream, in its newest version. */
export type AnyEvent =
  | IdentityProviderEvent
  | ProjectEvent
  | ProjectRoleEvent
  | ProjectGrantEvent
  | UserGrantEvent
  | DomainEvent
  | RoleMappingEvent
  | MembershipEvent
  | VerifiedDomainEvent
  | SetupLinkEvent
  | SetupLinkTokenEvent

/** The state of any object that exists. */
export type AnyState = Parameters<Listed['show']>[0]

/** Any aggregate; its functions take ids, events, states and views as they are stored. */
export type AnyAggregate = Aggregate<ObjectRef, AnyView, AnyEvent, AnyState>

/** The part of a definition that reads the events of a stream. */
export type StreamDefinition = Pick<AnyAggregate, 'stream'> & {
  readonly decider: Pick<AnyAggregate['decider'], 'upcasters'>
  readonly events: readonly EventSchema[]
}

/** Streams without objects: each claims a value that is unique across organizations. */
const CLAIMS: readonly StreamDefinition[] = [verifiedDomains, setupLinkTokens]

/** Every aggregate, by the type of its objects. */
export const aggregates: { readonly [Type in ObjectRef['type']]: AnyAggregate } = all

export const streamDefinitions: readonly StreamDefinition[] = [
  ...Object.values(aggregates),
  ...CLAIMS,
]

export const TYPES = Object.values(all).map(({ type }) => type)

/** A record of what `make` returns for each of `names`. */
export const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> =>
  // `Object.fromEntries` loses the type of the names.
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>

/** The results of `make` for each aggregate, by type. */
export const byType = <Value>(
  make: (aggregate: AnyAggregate) => Value,
): Record<ObjectRef['type'], Value> => recordOf(TYPES, (type) => make(aggregates[type]))

export const EVENT_TYPES = [...Object.values(all), verifiedDomains, setupLinkTokens]
  .flatMap(({ events }) => [...events])
  .flatMap((schema) => schema.def.innerType.shape.type.def.values)

/** Names one object of the organization. */
export const ObjectInput = z.discriminatedUnion(
  'type',
  [
    z.extend(identityProviders.ids, { type: z.literal('identity_provider') }),
    z.extend(projects.ids, { type: z.literal('project') }),
    z.extend(projectRoles.ids, { type: z.literal('project_role') }),
    z.extend(projectGrants.ids, { type: z.literal('project_grant') }),
    z.extend(userGrants.ids, { type: z.literal('user_grant') }),
    z.extend(domains.ids, { type: z.literal('domain') }),
    z.extend(roleMappings.ids, { type: z.literal('role_mapping') }),
    z.extend(memberships.ids, { type: z.literal('membership') }),
    z.extend(setupLinks.ids, { type: z.literal('setup_link') }),
  ],
  { error: 'must name an object by type and ids' },
)

/** The aggregate of objects of that type; undefined for an unknown type, as in malformed input. */
export const aggregateNamed = (type: unknown): AnyAggregate | undefined =>
  Object.values(aggregates).find((aggregate) => aggregate.type === type)

/** The ids of the object that `ref` names, in the order of its aggregate. */
export const idsOf = (ref: ObjectRef): readonly string[] =>
  OBJECT_IDS[ref.type].flatMap((name) => {
    const id = fieldOf(ref, name)
    return id === undefined ? [] : String(id)
  })
