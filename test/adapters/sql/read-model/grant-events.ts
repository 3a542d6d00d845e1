import fc from 'fast-check'
import type { AnyEvent } from '../../../../src/domain/aggregates.js'
import { OrgId, ProjectId, RoleKey, UserId } from '../../../../src/domain/values.js'
import { type Log, newLog } from '../../../../src/laws/read-model/harness.js'
import {
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from '../../../../src/laws/read-model/object-samples.js'

/** The owner of the projects comes first; all are granted some. */
export const ORGANIZATIONS = ['acme', 'acme2', 'other'] as const
export const PROJECTS = ['a', 'b'] as const
/** Alike in some order or case. */
export const ROLES = ['a', 'A', 'ß', '\ue000', '😀', 'a b'] as const
/** With what separates ids elsewhere. */
export const USERS = ['u', 'u+1', 'U', '😀'] as const

/** Before the first event, in the middle of the log, and after it. */
export const TIMES = [1_600_000_000_000, 1_700_000_000_010, 1_800_000_000_000].map(
  (time) => new Date(time),
)

const roleKeys = fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1, maxLength: 4 })

interface Recorded {
  readonly orgId: string
  readonly event: AnyEvent
}

const owned = (event: AnyEvent): Recorded => ({ orgId: 'acme', event })

const projectEvents = fc
  .record({ id: fc.constantFrom(...PROJECTS), kind: fc.nat(8) })
  .map(({ id, kind }) => {
    const data = { id: ProjectId.parse(id) }
    if (kind === 0) return owned(projectRemoved(id))
    if (kind < 3) return owned({ type: 'project.deactivated', data })
    return owned(kind < 6 ? { type: 'project.reactivated', data } : projectAdded(id))
  })

const roleEvents = fc
  .record({ id: fc.constantFrom(...PROJECTS), key: fc.constantFrom(...ROLES), kind: fc.nat(3) })
  .map(({ id, key, kind }) => {
    const shown = { displayName: `Role ${key}`, group: 'g' }
    return owned(kind === 0 ? roleRemoved(id, key) : roleAdded(id, key, shown))
  })

/** A generation that no role has; the log replaces it by that of a role that exists. */
const NEVER = 1_000_000

const projectGrantEvents = fc
  .record({
    project: fc.constantFrom(...PROJECTS),
    granted: fc.constantFrom(...ORGANIZATIONS.slice(1)),
    keys: roleKeys,
    kind: fc.nat(7),
  })
  .map(({ project, granted, keys, kind }) => {
    const data = { projectId: ProjectId.parse(project), grantedOrgId: OrgId.parse(granted) }
    const roles = keys.map((key) => ({ roleKey: RoleKey.parse(key), roleSince: NEVER }))
    if (kind === 0) return owned({ type: 'project_grant.removed', data })
    if (kind === 1) return owned({ type: 'project_grant.deactivated', data })
    if (kind === 2) return owned({ type: 'project_grant.reactivated', data })
    if (kind < 5) return owned({ type: 'project_grant.updated', data: { ...data, roles } })
    return owned({ type: 'project_grant.added', data: { ...data, roles } })
  })

const userGrantEvents = fc
  .record({
    project: fc.constantFrom(...PROJECTS),
    orgId: fc.constantFrom(...ORGANIZATIONS),
    user: fc.constantFrom(...USERS),
    keys: roleKeys,
    expiry: fc.array(fc.option(fc.constantFrom(...TIMES), { nil: undefined }), {
      minLength: 4,
      maxLength: 4,
    }),
    kind: fc.nat(8),
  })
  .map(({ project, orgId, user, keys, expiry, kind }): Recorded => {
    const data = {
      userId: UserId.parse(user),
      projectOrgId: OrgId.parse('acme'),
      projectId: ProjectId.parse(project),
    }
    const roles = keys.map((key, index) => {
      const expiresAt = expiry[index]?.toISOString()
      return { roleKey: RoleKey.parse(key), roleSince: NEVER, ...(expiresAt && { expiresAt }) }
    })
    if (kind === 0) return { orgId, event: { type: 'user_grant.removed', data } }
    if (kind === 1) return { orgId, event: { type: 'user_grant.deactivated', data } }
    if (kind === 2) return { orgId, event: { type: 'user_grant.reactivated', data } }
    if (kind < 6) return { orgId, event: { type: 'user_grant.updated', data: { ...data, roles } } }
    return { orgId, event: { type: 'user_grant.added', data: { ...data, roles } } }
  })

/**
 * Events of grants and of what ends them, in any order, as no decider would allow it; only that no grant is
 * deactivated that was added to a removed project.
 */
export const grantLogs: fc.Arbitrary<Log> = fc
  .array(
    fc.oneof(
      projectEvents,
      { arbitrary: roleEvents, weight: 2 },
      { arbitrary: projectGrantEvents, weight: 2 },
      { arbitrary: userGrantEvents, weight: 5 },
    ),
    { maxLength: 80 },
  )
  .map((recorded) => {
    const log = newLog()
    const removed = new Set<string>()
    for (const { orgId, event } of recorded) {
      if (event.type === 'project.removed') removed.add(event.data.id)
      const isLate = 'projectId' in event.data && removed.has(event.data.projectId)
      if (!isLate || !event.type.endsWith('.deactivated')) log.record(orgId, event)
    }
    return log
  })
