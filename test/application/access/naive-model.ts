import { type RecordedEvent, timeOf } from '../../../src/index.js'

// What the log says of grants, told event by event without any rule of the library: no lives are read from events,
// only what is there at each moment.

/** A role that was given, until what it hangs on is gone. */
interface Given {
  readonly from: Date
  readonly expiresAt: Date | undefined
  /** The role as it was then: another one once it is removed and added again. */
  readonly role: object
  /** The place of the role in the grant of the project; undefined within the owner's organization. */
  readonly place: object | undefined
  /** What ended it first. */
  lost?: 'RoleRemoved' | 'RoleNotGranted'
}

/** A role, from one addition to its removal; an update changes it. */
interface Role {
  displayName: string
  group: string
  permissions: readonly string[]
}

interface Project {
  active: boolean
  roleCheck: boolean
  projectCheck: boolean
  readonly roles: Map<string, Role>
  readonly grants: Map<string, { active: boolean; places: Map<string, { readonly role: object }> }>
}

interface UserGrant {
  active: boolean
  roles: Map<string, Given>
}

interface Ids {
  readonly orgId: string
  readonly projectOrgId: string
  readonly projectId: string
  readonly userId: string
}

const keyOf = ({ orgId, projectOrgId, projectId, userId }: Ids): string =>
  JSON.stringify([orgId, projectOrgId, projectId, userId])

const idsIn = (key: string): Ids => {
  const [orgId = '', projectOrgId = '', projectId = '', userId = ''] = JSON.parse(key)
  return { orgId, projectOrgId, projectId, userId }
}

const byText = (one: readonly string[], other: readonly string[]): number => {
  for (const [index, text] of one.entries()) {
    const against = other[index] ?? ''
    if (text !== against) return text < against ? -1 : 1
  }
  return 0
}

/** One role, one permission, or neither. */
interface Asked {
  readonly roleKey?: string
  readonly permission?: string
}

/** The world after the events of a log. */
export class NaiveModel {
  readonly #projects = new Map<string, Project>()
  readonly #userGrants = new Map<string, UserGrant>()

  constructor(events: readonly RecordedEvent[]) {
    for (const event of events) {
      this.#apply(event)
      this.#lose(event.type === 'project_role.removed' ? 'RoleRemoved' : 'RoleNotGranted')
    }
  }

  /** Marks what is no longer what was given. */
  #lose(lost: NonNullable<Given['lost']>): void {
    for (const [key, { roles }] of this.#userGrants) {
      const living = this.#living(idsIn(key))
      for (const [roleKey, given] of roles) if (!living.has(roleKey)) given.lost ??= lost
    }
  }

  #apply({ type, data, position, metadata }: RecordedEvent): void {
    // biome-ignore lint/suspicious/noExplicitAny: what events hold is no matter of types here
    const given = data as any
    const owner = metadata.resourceOwner
    const project = this.#projects.get(`${owner}/${given.projectId ?? given.id}`)
    switch (type) {
      case 'project.added':
        this.#projects.set(`${owner}/${given.id}`, {
          active: true,
          roleCheck: given.projectRoleCheck,
          projectCheck: given.hasProjectCheck,
          roles: new Map(),
          grants: new Map(),
        })
        return
      case 'project.deactivated':
      case 'project.reactivated':
        if (project) project.active = type === 'project.reactivated'
        return
      case 'project.removed':
        this.#projects.delete(`${owner}/${given.id}`)
        return
      case 'project_role.added':
        project?.roles.set(given.roleKey, {
          displayName: given.displayName,
          group: given.group,
          permissions: given.permissions,
        })
        return
      case 'project_role.updated': {
        const role = project?.roles.get(given.roleKey)
        if (!role) return
        role.displayName = given.displayName
        role.group = given.group
        role.permissions = given.permissions
        return
      }
      case 'project_role.removed':
        project?.roles.delete(given.roleKey)
        return
      case 'project_grant.added':
      case 'project_grant.updated': {
        if (!project) return
        const before = project.grants.get(given.grantedOrgId)
        const places = new Map<string, { readonly role: object }>()
        for (const { roleKey } of given.roles) {
          const role = project.roles.get(roleKey) ?? {}
          const held = before?.places.get(roleKey)
          places.set(roleKey, held?.role === role ? held : { role })
        }
        const active = type === 'project_grant.added' || before?.active === true
        project.grants.set(given.grantedOrgId, { active, places })
        return
      }
      case 'project_grant.deactivated':
      case 'project_grant.reactivated': {
        const grant = project?.grants.get(given.grantedOrgId)
        if (grant) grant.active = type === 'project_grant.reactivated'
        return
      }
      case 'project_grant.removed':
        project?.grants.delete(given.grantedOrgId)
        return
      case 'user_grant.added':
      case 'user_grant.updated': {
        const ids: Ids = { ...given, orgId: owner }
        const before = this.#userGrants.get(keyOf(ids))
        const roles = new Map<string, Given>()
        for (const { roleKey, expiresAt } of given.roles) {
          const held = this.#living(ids).get(roleKey)
          const { role, place } = this.#present(ids, roleKey)
          roles.set(roleKey, {
            from: held?.from ?? timeOf(position),
            expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
            role: role ?? {},
            place,
          })
        }
        const active = type === 'user_grant.added' || before?.active === true
        this.#userGrants.set(keyOf(ids), { active, roles })
        return
      }
      case 'user_grant.deactivated':
      case 'user_grant.reactivated': {
        const grant = this.#userGrants.get(keyOf({ ...given, orgId: owner }))
        if (grant) grant.active = type === 'user_grant.reactivated'
        return
      }
      case 'user_grant.removed':
        this.#userGrants.delete(keyOf({ ...given, orgId: owner }))
        return
      default:
        throw new Error(`The naive model does not know ${type}`)
    }
  }

  #project({ projectOrgId, projectId }: Omit<Ids, 'orgId' | 'userId'>): Project | undefined {
    return this.#projects.get(`${projectOrgId}/${projectId}`)
  }

  /** The role and its place as they are now. */
  #present(ids: Ids, roleKey: string) {
    const project = this.#project(ids)
    const place = project?.grants.get(ids.orgId)?.places.get(roleKey)
    return {
      role: project?.roles.get(roleKey),
      place: ids.orgId === ids.projectOrgId ? undefined : place,
    }
  }

  /** The roles of a grant that are still what was given. */
  #living(ids: Ids): ReadonlyMap<string, Given> {
    const all = [...(this.#userGrants.get(keyOf(ids))?.roles ?? [])]
    return new Map(
      all.filter(([roleKey, given]) => {
        const { role, place } = this.#present(ids, roleKey)
        const isThere = role !== undefined && role === given.role && place === given.place
        return isThere && (ids.orgId === ids.projectOrgId || place?.role === role)
      }),
    )
  }

  /** The roles that count. */
  #counting(ids: Ids, now: Date): readonly (readonly [roleKey: string, given: Given])[] {
    const project = this.#project(ids)
    const isOwn = ids.orgId === ids.projectOrgId
    const isGranted = isOwn || project?.grants.get(ids.orgId)?.active
    const isActive = project?.active && isGranted && this.#userGrants.get(keyOf(ids))?.active
    if (!isActive) return []
    return [...this.#living(ids)]
      .filter(([, { expiresAt }]) => expiresAt === undefined || expiresAt > now)
      .toSorted(([one], [other]) => byText([one], [other]))
  }

  /** As `iam.access.check`. */
  check(ids: Ids, asked: Asked, now: Date) {
    const roleKeys = this.#counting(ids, now).map(([key]) => key)
    const allowed = roleKeys.flatMap((key) => this.#permissions(ids, key))
    const permissions = [...new Set(allowed)].toSorted()
    const reasons = this.#reasons(ids, asked, now).map((kind) => ({ kind }))
    return { allowed: reasons.length === 0, roleKeys, permissions, reasons }
  }

  #permissions(ids: Ids, roleKey: string): readonly string[] {
    return this.#project(ids)?.roles.get(roleKey)?.permissions ?? []
  }

  #reasons(ids: Ids, { roleKey, permission }: Asked, now: Date): readonly string[] {
    const project = this.#project(ids)
    const isOwn = ids.orgId === ids.projectOrgId
    const projectGrant = project?.grants.get(ids.orgId)
    if (!isOwn && !projectGrant) return ['ProjectGrantMissing']
    if (!project) return ['ProjectNotFound']
    const reasons: string[] = []
    const needsRole = roleKey !== undefined || permission !== undefined || project.roleCheck
    if (!project.active) reasons.push('ProjectInactive')
    if ((needsRole || project.projectCheck) && !isOwn && !projectGrant?.active)
      reasons.push('ProjectGrantInactive')
    if (!needsRole) return reasons
    const grant = this.#userGrants.get(keyOf(ids))
    if (!grant) return [...reasons, 'NoGrant']
    if (!grant.active) reasons.push('GrantInactive')
    const living = this.#living(ids)
    const allowing = [...living.keys()].filter((key) => {
      return permission !== undefined && this.#permissions(ids, key).includes(permission)
    })
    if (permission !== undefined && allowing.length === 0)
      return [...reasons, 'PermissionNotGranted']
    const keys =
      permission !== undefined
        ? allowing
        : roleKey === undefined
          ? [...grant.roles.keys()]
          : [roleKey]
    const why = keys.map((key) => {
      const given = grant.roles.get(key)
      const held = living.get(key)
      if (held) return held.expiresAt !== undefined && held.expiresAt <= now ? 'Expired' : 'counts'
      return given?.lost ?? 'RoleNotGranted'
    })
    if (why.includes('counts')) return reasons
    return [...reasons, ...new Set(why.length > 0 ? why : ['RoleNotGranted'])]
  }

  /** As `iam.access.rolesOf`. */
  rolesOf(orgId: string, userId: string, now: Date) {
    return [...this.#userGrants.keys()]
      .map(idsIn)
      .filter((ids) => ids.orgId === orgId && ids.userId === userId)
      .flatMap((ids) =>
        this.#counting(ids, now).map(([roleKey, { expiresAt }]) => ({
          projectId: ids.projectId,
          projectOrgId: ids.projectOrgId,
          roleKey,
          ...this.#project(ids)?.roles.get(roleKey),
          ...(expiresAt && { expiresAt }),
        })),
      )
      .toSorted((one, other) =>
        byText(
          [one.projectOrgId, one.projectId, one.roleKey],
          [other.projectOrgId, other.projectId, other.roleKey],
        ),
      )
  }

  /** As `iam.access.whoHas`. */
  whoHas(projectOrgId: string, projectId: string, permission: string | undefined, now: Date) {
    return [...this.#userGrants.keys()]
      .map(idsIn)
      .filter((ids) => ids.projectOrgId === projectOrgId && ids.projectId === projectId)
      .flatMap((ids) =>
        this.#counting(ids, now)
          .filter(
            ([roleKey]) =>
              permission === undefined || this.#permissions(ids, roleKey).includes(permission),
          )
          .map(([roleKey, { expiresAt, from }]) => ({
            userId: ids.userId,
            orgId: ids.orgId,
            roleKey,
            ...(expiresAt && { expiresAt }),
            from,
          })),
      )
      .toSorted((one, other) =>
        byText([one.roleKey, one.orgId, one.userId], [other.roleKey, other.orgId, other.userId]),
      )
  }

  /** As `iam.userGrants.list` of an organization, without states and details. */
  userGrants(orgId: string) {
    return [...this.#userGrants.keys()]
      .map(idsIn)
      .filter((ids) => ids.orgId === orgId && this.#project(ids))
      .map(({ projectOrgId, projectId, userId, ...ids }) => ({
        userId,
        projectId,
        projectOrgId,
        roleKeys: [...this.#living({ ...ids, projectOrgId, projectId, userId }).keys()].toSorted(),
      }))
      .toSorted((one, other) =>
        byText(
          [one.projectOrgId, one.projectId, one.userId],
          [other.projectOrgId, other.projectId, other.userId],
        ),
      )
  }

  /** As `iam.projectGrants.listReceived` of an organization, without states and details. */
  received(grantedOrgId: string) {
    return [...this.#projects]
      .flatMap(([key, { grants, roles }]) => {
        const [projectOrgId = '', projectId = ''] = key.split('/')
        const grant = grants.get(grantedOrgId)
        if (!grant) return []
        const living = [...grant.places].filter(
          ([roleKey, { role }]) => roles.get(roleKey) === role,
        )
        return {
          projectId,
          projectOrgId,
          grantedOrgId,
          roleKeys: living.map(([key]) => key).toSorted(),
        }
      })
      .toSorted((one, other) =>
        byText([one.projectOrgId, one.projectId], [other.projectOrgId, other.projectId]),
      )
  }

  /** The roles that users were given and that still are what was given, for another judge of the same facts. */
  facts() {
    return [...this.#userGrants].flatMap(([key, grant]) => {
      const ids = idsIn(key)
      const { orgId, projectOrgId } = ids
      return [...this.#living(ids)].map(([roleKey, { expiresAt }]) => ({
        ...ids,
        roleKey,
        permissions: this.#permissions(ids, roleKey),
        expiresAt,
        userGrant: grant.active,
        project: this.#project(ids)?.active === true,
        projectGrant:
          orgId === projectOrgId || this.#project(ids)?.grants.get(orgId)?.active === true,
      }))
    })
  }
}
