import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fold } from '../../src/domain/decider.js'
import { domain, domainStream } from '../../src/domain/email-domain/aggregate.js'
import { DomainEvent } from '../../src/domain/email-domain/events.js'
import {
  VerifiedDomainEvent,
  verifiedDomainStream,
  verifiedDomains,
} from '../../src/domain/email-domain/verified-domain.js'
import {
  identityProvider,
  identityProviderStream,
} from '../../src/domain/identity-provider/aggregate.js'
import { IdentityProviderEvent } from '../../src/domain/identity-provider/events.js'
import { membership } from '../../src/domain/membership/aggregate.js'
import { MembershipEvent } from '../../src/domain/membership/events.js'
import { currentVersion, upcast } from '../../src/domain/message.js'
import { project, projectStream } from '../../src/domain/project/aggregate.js'
import { ProjectEvent } from '../../src/domain/project/events.js'
import { projectGrant, projectGrantStream } from '../../src/domain/project-grant/aggregate.js'
import { ProjectGrantEvent } from '../../src/domain/project-grant/events.js'
import { projectRole, projectRoleStream } from '../../src/domain/project-role/aggregate.js'
import { ProjectRoleEvent } from '../../src/domain/project-role/events.js'
import { roleMapping } from '../../src/domain/role-mapping/aggregate.js'
import { RoleMappingEvent } from '../../src/domain/role-mapping/events.js'
import { setupLink, setupLinkStream } from '../../src/domain/setup-link/aggregate.js'
import { SetupLinkEvent } from '../../src/domain/setup-link/events.js'
import {
  SetupLinkTokenEvent,
  setupLinkTokenStream,
  setupLinkTokens,
} from '../../src/domain/setup-link/token.js'
import { userGrant, userGrantStream } from '../../src/domain/user-grant/aggregate.js'
import { UserGrantEvent } from '../../src/domain/user-grant/events.js'
import { aggregateOf } from '../../src/projections/read-events.js'
import { objections } from './objections.js'
import { typesOf } from './types-of.js'

const folder = new URL('../golden/', import.meta.url)

const GoldenEvent = z.strictObject({
  appendId: z.string(),
  stream: z.string(),
  version: z.int(),
  position: z.string(),
  type: z.string(),
  schemaVersion: z.int(),
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
})
type GoldenEvent = z.infer<typeof GoldenEvent>

const GoldenFile = z.strictObject({
  events: z.array(GoldenEvent),
  states: z.record(z.string(), z.unknown()),
})

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => GoldenFile.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))))

const golden = files.flatMap(({ events }) => events)

const verifiedDomain = verifiedDomains.decider
const setupLinkToken = setupLinkTokens.decider

const aggregates = [
  { category: 'identity_provider', decider: identityProvider, union: IdentityProviderEvent },
  { category: 'project', decider: project, union: ProjectEvent },
  { category: 'project_role', decider: projectRole, union: ProjectRoleEvent },
  { category: 'project_grant', decider: projectGrant, union: ProjectGrantEvent },
  { category: 'user_grant', decider: userGrant, union: UserGrantEvent },
  { category: 'domain', decider: domain, union: DomainEvent },
  { category: 'role_mapping', decider: roleMapping, union: RoleMappingEvent },
  { category: 'membership', decider: membership, union: MembershipEvent },
  { category: 'verified_domain', decider: verifiedDomain, union: VerifiedDomainEvent },
  { category: 'setup_link', decider: setupLink, union: SetupLinkEvent },
  { category: 'setup_link_token', decider: setupLinkToken, union: SetupLinkTokenEvent },
] as const

const deciderOf = (stream: string) => {
  switch (stream.slice(0, stream.indexOf('-'))) {
    case 'identity_provider':
      return identityProvider
    case 'project':
      return project
    case 'project_role':
      return projectRole
    case 'project_grant':
      return projectGrant
    case 'user_grant':
      return userGrant
    case 'domain':
      return domain
    case 'verified_domain':
      return verifiedDomain
    case 'role_mapping':
      return roleMapping
    case 'membership':
      return membership
    case 'setup_link':
      return setupLink
    case 'setup_link_token':
      return setupLinkToken
    default:
      throw new Error(`no aggregate writes the stream ${stream}`)
  }
}

/** As a reader of the log does: to the newest version, then through its schema. */
const newestOf = (recorded: GoldenEvent): object => {
  const { upcasters } = deciderOf(recorded.stream)
  return { type: recorded.type, data: upcast(upcasters, recorded) }
}

const stateOf = (stream: string, recorded: readonly GoldenEvent[]): unknown => {
  const newest = recorded.map(newestOf)
  switch (deciderOf(stream)) {
    case identityProvider:
      return fold(identityProvider, z.array(identityProvider.eventSchema).parse(newest))
    case project:
      return fold(project, z.array(project.eventSchema).parse(newest))
    case projectRole:
      return fold(projectRole, z.array(projectRole.eventSchema).parse(newest))
    case projectGrant:
      return fold(projectGrant, z.array(projectGrant.eventSchema).parse(newest))
    case domain:
      return fold(domain, z.array(domain.eventSchema).parse(newest))
    case roleMapping:
      return fold(roleMapping, z.array(roleMapping.eventSchema).parse(newest))
    case membership:
      return fold(membership, z.array(membership.eventSchema).parse(newest))
    case verifiedDomain:
      return fold(verifiedDomain, z.array(verifiedDomain.eventSchema).parse(newest))
    case setupLink:
      return fold(setupLink, z.array(setupLink.eventSchema).parse(newest))
    case setupLinkToken:
      return fold(setupLinkToken, z.array(setupLinkToken.eventSchema).parse(newest))
    default:
      return fold(userGrant, z.array(userGrant.eventSchema).parse(newest))
  }
}

const streamNamedBy = ({ type, data, metadata }: GoldenEvent): string => {
  const text = (field: string) => String(data[field])
  const { resourceOwner } = z.object({ resourceOwner: z.string() }).parse(metadata)
  switch (type.split('.')[0]) {
    case 'identity_provider':
      return identityProviderStream(resourceOwner, text('idpId'))
    case 'project':
      return projectStream(resourceOwner, text('id'))
    case 'project_role':
      return projectRoleStream(resourceOwner, text('projectId'), text('roleKey'))
    case 'project_grant':
      return projectGrantStream(resourceOwner, text('projectId'), text('grantedOrgId'))
    case 'role_mapping':
    case 'membership':
      return aggregateOf(type).stream(resourceOwner, data)
    case 'domain':
      return domainStream(resourceOwner, text('domain'))
    case 'verified_domain':
      return verifiedDomainStream(text('domain'))
    case 'setup_link':
      return setupLinkStream(resourceOwner, text('linkId'))
    case 'setup_link_token':
      return setupLinkTokenStream(text('tokenHash'))
    default:
      return userGrantStream(
        resourceOwner,
        text('projectOrgId'),
        text('projectId'),
        text('userId'),
        'resource' in data ? text('resource') : undefined,
      )
  }
}

describe('every event type', () => {
  it.each(aggregates)('of $category was kept in every version', ({ decider, union }) => {
    const written = typesOf(union).flatMap((type) => {
      const newest = currentVersion(decider.upcasters, type)
      return Array.from({ length: newest }, (_, index) => `${type} ${index + 1}`)
    })
    const kept = golden.map(({ type, schemaVersion }) => `${type} ${schemaVersion}`)
    expect(kept).toEqual(expect.arrayContaining(written))
  })

  it('that was kept is still known, in no version above the newest', () => {
    for (const { stream, type, schemaVersion } of golden)
      expect(schemaVersion).toBeLessThanOrEqual(currentVersion(deciderOf(stream).upcasters, type))
  })

  it('has its permanent name', () => {
    const types = aggregates.flatMap(({ union }) => typesOf(union))
    expect(types).toEqual([
      'identity_provider.oidc_added',
      'identity_provider.oidc_config_updated',
      'identity_provider.updated',
      'identity_provider.deactivated',
      'identity_provider.reactivated',
      'identity_provider.removed',
      'identity_provider.secret_resealed',
      'identity_provider.sign_in_configured',
      'project.added',
      'project.updated',
      'project.deactivated',
      'project.reactivated',
      'project.removed',
      'project_role.added',
      'project_role.updated',
      'project_role.removed',
      'project_grant.added',
      'project_grant.updated',
      'project_grant.deactivated',
      'project_grant.reactivated',
      'project_grant.removed',
      'user_grant.added',
      'user_grant.updated',
      'user_grant.deactivated',
      'user_grant.reactivated',
      'user_grant.removed',
      'domain.added',
      'domain.verified',
      'domain.provider_set',
      'domain.removed',
      'role_mapping.added',
      'role_mapping.updated',
      'role_mapping.removed',
      'membership.reported',
      'membership.removed',
      'verified_domain.claimed',
      'verified_domain.released',
      'setup_link.issued',
      'setup_link.used',
      'setup_link.provider_checked',
      'setup_link.completed',
      'setup_link.revoked',
      'setup_link_token.claimed',
    ])
  })
})

/** `value`, and all that it holds, at any depth. */
const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(partsOf)]
    : [value]

describe('golden events', () => {
  it.each(files)('lead to the states that they led to', ({ events, states }) => {
    const byStream = Map.groupBy(events, ({ stream }) => stream)
    const reached = [...byStream].map(([stream, recorded]) => [stream, stateOf(stream, recorded)])
    // A state may gain fields when the shape of an event does.
    expect(Object.fromEntries(reached)).toMatchObject(states)
    expect(Object.keys(Object.fromEntries(reached))).toEqual(Object.keys(states))
  })

  it('of version 1 lead to roles without permissions, and else to what they led to', () => {
    const [{ events, states }] = files as [z.infer<typeof GoldenFile>]
    const recorded = events.filter(({ stream }) => stream.startsWith('project_role-'))
    for (const [stream, ofRole] of Map.groupBy(recorded, (event) => event.stream))
      expect(stateOf(stream, ofRole)).toEqual({ ...(states[stream] as object), permissions: [] })
  })

  it.each(golden)('$type of version $version in its stream is read as it stands', (recorded) => {
    const { eventSchema, upcasters } = deciderOf(recorded.stream)
    const newest = newestOf(recorded)
    const isNewest = recorded.schemaVersion === currentVersion(upcasters, recorded.type)
    const read: unknown = eventSchema.parse(newest)
    expect(read).toEqual(isNewest ? { type: recorded.type, data: recorded.data } : newest)
    for (const part of partsOf(read)) expect(Object.isFrozen(part)).toBe(true)
  })

  it.each(golden)('$type of version $version carries the ids of its stream', (recorded) => {
    expect(streamNamedBy(recorded)).toBe(recorded.stream)
  })
})

describe('an event schema', () => {
  const objectionsTo = (recorded: GoldenEvent, data: object) =>
    objections(deciderOf(recorded.stream).eventSchema, { type: recorded.type, data })
  const isOptional = ({ type }: GoldenEvent, field: string) =>
    (type === 'identity_provider.oidc_config_updated' && field === 'clientSecret') ||
    (type === 'identity_provider.sign_in_configured' && field !== 'idpId') ||
    (type === 'domain.provider_set' && field === 'idpId') ||
    (type === 'role_mapping.added' && field === 'validFor') ||
    (['user_grant.added', 'role_mapping.added'].includes(type) && field === 'resource') ||
    (type === 'setup_link.issued' && ['note', 'idpId', 'domain'].includes(field))
  const newest = golden.filter(
    ({ stream, type, schemaVersion }) =>
      schemaVersion === currentVersion(deciderOf(stream).upcasters, type),
  )

  it.each(newest)('of $type refuses a missing field', (recorded) => {
    for (const field of Object.keys(recorded.data)) {
      if (isOptional(recorded, field)) continue
      const { [field]: _, ...others } = recorded.data
      expect(objectionsTo(recorded, others)).not.toEqual([])
    }
  })

  it.each(newest)('of $type refuses a field of a wrong type', (recorded) => {
    for (const field of Object.keys(recorded.data))
      for (const value of [undefined, null, field === 'validFor' ? '7' : 7, {}])
        expect(objectionsTo(recorded, { ...recorded.data, [field]: value })).not.toEqual([])
  })

  it.each(newest)('of $type refuses unknown fields', (recorded) => {
    for (const field of ['extra', '__proto__', 'status'])
      expect(
        objectionsTo(
          recorded,
          Object.fromEntries([...Object.entries(recorded.data), [field, 'removed']]),
        ),
      ).toEqual([`data: Unrecognized key: "${field}"`])
    const { eventSchema } = deciderOf(recorded.stream)
    const beside = { type: recorded.type, data: recorded.data, extra: 1 }
    expect(objections(eventSchema, beside)).toEqual([': Unrecognized key: "extra"'])
  })

  it('refuses names that no enumeration ever had', () => {
    const names = ['stylingType', 'displayNameMapping', 'usernameMapping', 'privateLabelingSetting']
    for (const recorded of newest)
      for (const field of names.filter((name) => name in recorded.data))
        for (const value of ['', 'UNSPECIFIED', '__proto__'])
          expect(objectionsTo(recorded, { ...recorded.data, [field]: value })).toHaveLength(1)
  })

  const granted = newest.filter(({ data }) => 'roles' in data)

  it.each(granted)('of $type refuses a role of another shape', (recorded) => {
    const { roles } = recorded.data
    for (const role of z.array(z.record(z.string(), z.unknown())).parse(roles)) {
      const objectionsToRole = (changed: object) =>
        objectionsTo(recorded, { ...recorded.data, roles: [changed] })
      expect(objectionsToRole(role)).toEqual([])
      expect(objectionsToRole({ ...role, extra: 1 })).toHaveLength(1)
      for (const field of ['roleKey', 'roleSince']) {
        const { [field]: _, ...others } = role
        expect(objectionsToRole(others)).toHaveLength(1)
      }
      for (const field of Object.keys(role))
        for (const value of [null, 7.5, '', {}])
          expect(objectionsToRole({ ...role, [field]: value })).toHaveLength(1)
    }
  })

  it('refuses an unknown event type', () => {
    for (const { decider } of aggregates)
      for (const type of ['', '__proto__', 'project.renamed', undefined])
        expect(objections(decider.eventSchema, { type, data: {} })).toHaveLength(1)
  })
})
