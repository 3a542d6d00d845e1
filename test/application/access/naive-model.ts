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

/** A group that has roles of a project. */
interface Mapping {
  readonly projectOrgId: string
  readonly projectId: string
  readonly resource: string | undefined
  readonly group: string
  /** The mapping from one addition to its removal: reports after it count. */
  readonly since: bigint
  readonly validFor: number | undefined
  readonly roles: Map<string, Given>
}

interface Member {
  readonly reported: bigint
  /** By group: since when the user has been in it without a break. */
  readonly groups: Map<string, Date>
}

interface Provider {
  active: boolean
  readonly mappings: Map<string, Mapping>
  readonly members: Map<string, Member>
}

/** A way in which a user has a role that counts, or would. */
interface Way {
  readonly roleKey: string
  readonly via: 'grant' | { readonly idpId: string; readonly group: string }
  readonly expiresAt: Date | undefined
  readonly from: Date
}

interface Ids {
  readonly orgId: string
  readonly projectOrgId: string
  readonly projectId: string
  readonly userId: string
  /** Undefined for the whole project. */
  readonly resource?: string | undefined
}

const keyOf = ({ orgId, projectOrgId, projectId, userId, resource }: Ids): string =>
  JSON.stringify([orgId, projectOrgId, projectId, userId, resource ?? null])

const idsIn = (key: string): Ids => {
  const [orgId = '', projectOrgId = '', projectId = '', userId = '', resource] = JSON.parse(key)
  return { orgId, projectOrgId, projectId, userId, ...on(resource ?? undefined) }
}

const on = (resource: string | undefined) => (resource === undefined ? {} : { resource })

/** The whole project, and the resource in a question. */
const placesOf = ({ resource, ...whole }: Ids): readonly Ids[] => [
  whole,
  ...(resource === undefined ? [] : [{ ...whole, resource }]),
]

const byText = (one: readonly string[], other: readonly string[]): number => {
  for (const [index, text] of one.entries()) {
    const against = other[index] ?? ''
    if (text !== against) return text < against ? -1 : 1
  }
  return 0
}

const wayKey = ({ via }: Pick<Way, 'via'>): readonly string[] =>
  via === 'grant' ? ['', ''] : [via.idpId, via.group]

const placeKey = ({ projectOrgId, projectId, resource = '' }: Omit<Ids, 'orgId' | 'userId'>) => [
  projectOrgId,
  projectId,
  resource,
]

/** One role, one permission, or neither. */
interface Asked {
  readonly roleKey?: string
  readonly permission?: string
}

/** The world after the events of a log. */
export class NaiveModel {
  readonly #projects = new Map<string, Project>()
  readonly #userGrants = new Map<string, UserGrant>()
  /** By organization, then by id. */
  readonly #providers = new Map<string, Map<string, Provider>>()

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
      case 'identity_provider.oidc_added':
      case 'identity_provider.deactivated':
      case 'identity_provider.reactivated': {
        const active = type !== 'identity_provider.deactivated'
        const ofOrg = this.#providers.get(owner) ?? new Map<string, Provider>()
        const provider = ofOrg.get(given.idpId)
        if (provider) provider.active = active
        else ofOrg.set(given.idpId, { active, mappings: new Map(), members: new Map() })
        this.#providers.set(owner, ofOrg)
        return
      }
      case 'identity_provider.removed':
        this.#providers.get(owner)?.delete(given.idpId)
        return
      case 'role_mapping.added':
      case 'role_mapping.updated': {
        const { idpId, group, projectOrgId, projectId, resource, validFor } = given
        const mappings = this.#providers.get(owner)?.get(idpId)?.mappings
        const key = JSON.stringify([group, projectOrgId, projectId, resource ?? null])
        const before = type === 'role_mapping.added' ? undefined : mappings?.get(key)
        const roles = new Map<string, Given>()
        for (const { roleKey } of given.roles) {
          const ids = { orgId: owner, projectOrgId, projectId, userId: '' }
          const { role, place } = this.#present(ids, roleKey)
          const held = before?.roles.get(roleKey)
          const isHeld = held && this.#isLiving(ids, roleKey, held)
          const from = isHeld ? held.from : timeOf(position)
          roles.set(roleKey, { from, expiresAt: undefined, role: role ?? {}, place })
        }
        const since = before?.since ?? position
        const mapping = { projectOrgId, projectId, resource, group, since, validFor, roles }
        mappings?.set(key, mapping)
        return
      }
      case 'role_mapping.removed': {
        const { idpId, group, projectOrgId, projectId, resource } = given
        const key = JSON.stringify([group, projectOrgId, projectId, resource ?? null])
        this.#providers.get(owner)?.get(idpId)?.mappings.delete(key)
        return
      }
      case 'membership.reported': {
        const members = this.#providers.get(owner)?.get(given.idpId)?.members
        const before = members?.get(given.userId)?.groups
        const groups = new Map<string, Date>()
        for (const group of given.groups) groups.set(group, before?.get(group) ?? timeOf(position))
        members?.set(given.userId, { reported: position, groups })
        return
      }
      case 'membership.removed':
        this.#providers.get(owner)?.get(given.idpId)?.members.delete(given.userId)
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
    return new Map(all.filter(([roleKey, given]) => this.#isLiving(ids, roleKey, given)))
  }

  #isLiving(ids: Ids, roleKey: string, given: Given): boolean {
    const { role, place } = this.#present(ids, roleKey)
    const isThere = role !== undefined && role === given.role && place === given.place
    return isThere && (ids.orgId === ids.projectOrgId || place?.role === role)
  }

  /** The roles by groups that the user was last reported in, also those that do not count. */
  #mapped(ids: Ids): readonly (Way & { readonly active: boolean })[] {
    const { orgId, projectOrgId, projectId, userId } = ids
    return [...(this.#providers.get(orgId) ?? [])].flatMap(([idpId, provider]) => {
      const member = provider.members.get(userId)
      return [...provider.mappings.values()].flatMap((mapping) => {
        const joined = member?.groups.get(mapping.group)
        if (mapping.projectOrgId !== projectOrgId || mapping.projectId !== projectId) return []
        if (mapping.resource !== ids.resource) return []
        if (!member || !joined || member.reported < mapping.since) return []
        const end = timeOf(member.reported).getTime() + (mapping.validFor ?? 0) * 3_600_000
        return [...mapping.roles]
          .filter(([roleKey, given]) => this.#isLiving(ids, roleKey, given))
          .map(([roleKey, { from }]) => ({
            roleKey,
            via: { idpId, group: mapping.group },
            expiresAt: mapping.validFor === undefined ? undefined : new Date(end),
            from: from > joined ? from : joined,
            active: provider.active,
          }))
      })
    })
  }

  /** The roles that count, one for each way: for the whole project, or for one resource alone. */
  #counting(ids: Ids, now: Date): readonly Way[] {
    const project = this.#project(ids)
    const isOwn = ids.orgId === ids.projectOrgId
    const isGranted = isOwn || project?.grants.get(ids.orgId)?.active
    if (!project?.active || !isGranted) return []
    const granted = this.#userGrants.get(keyOf(ids))?.active ? [...this.#living(ids)] : []
    const ways: readonly Way[] = [
      ...granted.map(([roleKey, { expiresAt, from }]) => {
        return { roleKey, via: 'grant' as const, expiresAt, from }
      }),
      ...this.#mapped(ids)
        .filter(({ active }) => active)
        .map(({ active: _, ...way }) => way),
    ]
    return ways
      .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
      .toSorted((one, other) =>
        byText([one.roleKey, ...wayKey(one)], [other.roleKey, ...wayKey(other)]),
      )
  }

  /** As `iam.access.check`. */
  check(ids: Ids, asked: Asked, now: Date) {
    const counting = placesOf(ids).flatMap((place) => this.#counting(place, now))
    const roleKeys = [...new Set(counting.map(({ roleKey }) => roleKey))].toSorted()
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
    if (roleKey === undefined && permission === undefined && this.#hasAnyRole(ids, now))
      return reasons
    const grants = placesOf(ids).flatMap((place) => {
      const grant = this.#userGrants.get(keyOf(place))
      if (!grant) return []
      const kinds = this.#grantReasons(place, { roleKey, permission }, now)
      return [grant.active ? kinds : ['GrantInactive', ...kinds]]
    })
    const mapped = placesOf(ids).flatMap((place) => this.#mapped(place))
    const asked = mapped.filter((way) => {
      const isAllowed = permission && this.#permissions(ids, way.roleKey).includes(permission)
      return (roleKey ?? way.roleKey) === way.roleKey && (permission === undefined || isAllowed)
    })
    const flaws = asked.map(({ active, expiresAt }) => {
      if (!active) return 'ProviderInactive'
      return expiresAt !== undefined && expiresAt <= now ? 'MembershipExpired' : 'counts'
    })
    if (flaws.includes('counts') || grants.some((kinds) => kinds.length === 0)) return reasons
    reasons.push(...new Set(flaws))
    if (grants.length === 0) return flaws.length > 0 ? reasons : [...reasons, 'NoGrant']
    if (grants.some((kinds) => kinds.includes('GrantInactive'))) reasons.push('GrantInactive')
    const giving = grants.filter((kinds) => !kinds.some((kind) => /NotGranted$/.test(kind)))
    const told = flaws.length > 0 || giving.length > 0 ? giving : grants
    return [...new Set([...reasons, ...told.flat()])]
  }

  /** Whether a role counts for the whole project or for any resource. */
  #hasAnyRole(ids: Ids, now: Date): boolean {
    return this.#everyIds().some(
      (each) =>
        keyOf({ ...each, resource: undefined }) === keyOf({ ...ids, resource: undefined }) &&
        this.#counting(each, now).length > 0,
    )
  }

  /** Why no role of the user's grant counts by itself. */
  #grantReasons(
    ids: Ids,
    { roleKey, permission }: { roleKey: string | undefined; permission: string | undefined },
    now: Date,
  ): readonly string[] {
    const grant = this.#userGrants.get(keyOf(ids))
    if (!grant) return []
    const living = this.#living(ids)
    const allowing = [...living.keys()].filter((key) => {
      return permission !== undefined && this.#permissions(ids, key).includes(permission)
    })
    if (permission !== undefined && allowing.length === 0) return ['PermissionNotGranted']
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
    if (why.includes('counts')) return []
    return [...new Set(why.length > 0 ? why : ['RoleNotGranted'])]
  }

  /** As `iam.access.rolesOf`. */
  rolesOf(orgId: string, userId: string, now: Date, resource?: string) {
    return this.#everyIds()
      .filter((ids) => ids.orgId === orgId && ids.userId === userId)
      .filter((ids) => resource === undefined || [undefined, resource].includes(ids.resource))
      .flatMap((ids) =>
        this.#counting(ids, now).map(({ roleKey, expiresAt, via }) => ({
          projectId: ids.projectId,
          projectOrgId: ids.projectOrgId,
          roleKey,
          ...this.#project(ids)?.roles.get(roleKey),
          ...on(ids.resource),
          ...(expiresAt && { expiresAt }),
          via,
        })),
      )
      .toSorted((one, other) =>
        byText(
          [one.projectOrgId, one.projectId, one.resource ?? '', one.roleKey, ...wayKey(one)],
          [
            ...[other.projectOrgId, other.projectId, other.resource ?? '', other.roleKey],
            ...wayKey(other),
          ],
        ),
      )
  }

  /** All users with a grant or a membership, in every project and on every resource. */
  #everyIds(): readonly Ids[] {
    const users = new Set(
      [...this.#userGrants.keys()].map((key) => {
        const { orgId, userId } = idsIn(key)
        return JSON.stringify([orgId, userId])
      }),
    )
    for (const [orgId, providers] of this.#providers)
      for (const { members } of providers.values())
        for (const userId of members.keys()) users.add(JSON.stringify([orgId, userId]))
    const resources = new Set<string | undefined>([undefined])
    for (const key of this.#userGrants.keys()) resources.add(idsIn(key).resource)
    for (const providers of this.#providers.values())
      for (const { mappings } of providers.values())
        for (const { resource } of mappings.values()) resources.add(resource)
    return [...this.#projects.keys()].flatMap((key) => {
      const [projectOrgId = '', projectId = ''] = key.split('/')
      return [...users].flatMap((user) => {
        const [orgId, userId] = JSON.parse(user)
        return [...resources].map((resource) => ({
          ...{ orgId, projectOrgId, projectId, userId },
          ...on(resource),
        }))
      })
    })
  }

  /** As `iam.access.scopesOf`. */
  scopesOf(orgId: string, userId: string, permission: string, now: Date) {
    const scopes = this.#everyIds()
      .filter((ids) => ids.orgId === orgId && ids.userId === userId)
      .filter((ids) =>
        this.#counting(ids, now).some(({ roleKey }) =>
          this.#permissions(ids, roleKey).includes(permission),
        ),
      )
      .map(({ projectId, projectOrgId, resource }) => ({
        projectId,
        projectOrgId,
        ...on(resource),
      }))
    return scopes.sort((one, other) =>
      byText(
        [one.projectOrgId, one.projectId, one.resource ?? ''],
        [other.projectOrgId, other.projectId, other.resource ?? ''],
      ),
    )
  }

  /** As `iam.access.whoHas`. */
  whoHas(
    projectOrgId: string,
    projectId: string,
    permission: string | undefined,
    now: Date,
    resource?: string,
  ) {
    return this.#everyIds()
      .filter((ids) => ids.projectOrgId === projectOrgId && ids.projectId === projectId)
      .filter((ids) => resource === undefined || [undefined, resource].includes(ids.resource))
      .flatMap((ids) =>
        this.#counting(ids, now)
          .filter(
            ({ roleKey }) =>
              permission === undefined || this.#permissions(ids, roleKey).includes(permission),
          )
          .map(({ roleKey, expiresAt, from, via }) => ({
            userId: ids.userId,
            orgId: ids.orgId,
            roleKey,
            ...on(ids.resource),
            ...(expiresAt && { expiresAt }),
            from,
            via,
          })),
      )
      .toSorted((one, other) =>
        byText(
          [one.roleKey, one.orgId, one.resource ?? '', ...wayKey(one), one.userId],
          [other.roleKey, other.orgId, other.resource ?? '', ...wayKey(other), other.userId],
        ),
      )
  }

  /** As `iam.access.users`, of one project or of all. */
  users(orgId: string, projectId: string | undefined, permission: string | undefined, now: Date) {
    const holders = this.#everyIds()
      .filter((ids) => ids.orgId === orgId && ids.projectId === (projectId ?? ids.projectId))
      .flatMap((ids) => {
        const roles = this.#project(ids)?.roles
        const of = { projectId: ids.projectId, projectOrgId: ids.projectOrgId }
        return this.#counting(ids, now)
          .filter(
            ({ roleKey }) =>
              permission === undefined || this.#permissions(ids, roleKey).includes(permission),
          )
          .map(({ roleKey, expiresAt, from, via }) => ({
            userId: ids.userId,
            role: {
              ...of,
              roleKey,
              displayName: roles?.get(roleKey)?.displayName,
              ...on(ids.resource),
              ...(expiresAt && { expiresAt }),
              via,
              since: from,
            },
          }))
      })
    const userIds = [...new Set(holders.map(({ userId }) => userId))].toSorted()
    return userIds.map((userId) => ({
      userId,
      roles: holders
        .filter((holder) => holder.userId === userId)
        .map(({ role }) => role)
        .toSorted((one, other) =>
          byText(
            [...placeKey(one), one.roleKey, ...wayKey(one)],
            [...placeKey(other), other.roleKey, ...wayKey(other)],
          ),
        ),
    }))
  }

  /** As `iam.userGrants.list` of an organization, without states and details. */
  userGrants(orgId: string) {
    return [...this.#userGrants.keys()]
      .map(idsIn)
      .filter((ids) => ids.orgId === orgId && this.#project(ids))
      .map((ids) => ({
        userId: ids.userId,
        projectId: ids.projectId,
        projectOrgId: ids.projectOrgId,
        ...on(ids.resource),
        roleKeys: [...this.#living(ids).keys()].toSorted(),
      }))
      .toSorted((one, other) =>
        byText(
          [one.projectOrgId, one.projectId, one.resource ?? '', one.userId],
          [other.projectOrgId, other.projectId, other.resource ?? '', other.userId],
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
    const mapped = this.#everyIds().flatMap((ids) =>
      this.#mapped(ids).map(({ roleKey, expiresAt, active, via }) => ({
        ...ids,
        roleKey,
        permissions: this.#permissions(ids, roleKey),
        expiresAt,
        way: JSON.stringify(via),
        isWayActive: active,
        project: this.#project(ids)?.active === true,
        projectGrant:
          ids.orgId === ids.projectOrgId ||
          this.#project(ids)?.grants.get(ids.orgId)?.active === true,
      })),
    )
    return [...mapped, ...this.#grantFacts()]
  }

  #grantFacts() {
    return [...this.#userGrants].flatMap(([key, grant]) => {
      const ids = idsIn(key)
      const { orgId, projectOrgId } = ids
      return [...this.#living(ids)].map(([roleKey, { expiresAt }]) => ({
        ...ids,
        roleKey,
        permissions: this.#permissions(ids, roleKey),
        expiresAt,
        way: 'grant',
        isWayActive: grant.active,
        project: this.#project(ids)?.active === true,
        projectGrant:
          orgId === projectOrgId || this.#project(ids)?.grants.get(orgId)?.active === true,
      }))
    })
  }
}
