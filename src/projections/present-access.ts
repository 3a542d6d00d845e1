import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { memberships } from '../domain/membership/aggregate.js'
import { projects } from '../domain/project/aggregate.js'
import { projectGrants } from '../domain/project-grant/aggregate.js'
import { projectRoles } from '../domain/project-role/aggregate.js'
import { roleMappings } from '../domain/role-mapping/aggregate.js'
import { userGrants } from '../domain/user-grant/aggregate.js'
import type { AccessQuery, FoundAccess } from '../ports/access-reads.js'
import type { KnownEvent } from '../ports/known-event.js'
import { project, type Row } from './project.js'
import { aggregateOf } from './read-events.js'
import { emptyWorld, replaceFact } from './replace-fact.js'
import { foundAccess, type Version, type World } from './world.js'

/** The current roles of users after the events applied so far, without the past. */
export interface PresentAccess {
  /** Applies the next event of the log. */
  readonly apply: (event: KnownEvent) => void
  /** The result of a read model's `access`, at once. Parts of it are shared, so do not change it. */
  readonly access: (query: AccessQuery) => FoundAccess
}

/** The state before the first event. */
export const presentAccess = (): PresentAccess => {
  const world = emptyWorld(false)
  return {
    apply: (event) => {
      const { fact } = aggregateOf(event.type)
      if (!fact) return
      const before = rowBefore(world, event)
      replaceFact(world, before, project(before, event), event.position)
    },
    access: (query) => foundAccess(world, query),
  }
}

/** The row before an event, as far as it decides about roles. */
const rowBefore = (world: World, event: KnownEvent): Row | undefined => {
  const last = lastBefore(world, event)
  if (!last) return undefined
  const { state, since, begin, given } = last
  const orgId = event.metadata.resourceOwner
  const fact = aggregateOf(event.type).fact?.(state, event.data, orgId)
  const time = new Date(0)
  const details = { sequence: begin, creationDate: time, changeDate: time, resourceOwner: orgId }
  return { state, details, protectedBy: undefined, fact: fact && { fact, since, begin, given } }
}

const lastBefore = (world: World, event: KnownEvent): Version | undefined => {
  const orgId = event.metadata.resourceOwner
  const ofProject = (owner: string, id: string) => world.projects.get(owner)?.get(id)
  const ofProvider = (idpId: string) => world.providers.get(orgId)?.get(idpId)
  if (projects.reads(event)) return ofProject(orgId, event.data.id)?.last
  if (projectRoles.reads(event))
    return ofProject(orgId, event.data.projectId)?.roles.get(event.data.roleKey)?.last
  if (identityProviders.reads(event)) return ofProvider(event.data.idpId)?.last
  if (memberships.reads(event)) return ofProvider(event.data.idpId)?.members.get(event.data.userId)
  if (projectGrants.reads(event)) {
    const { projectId, grantedOrgId } = event.data
    return ofProject(orgId, projectId)?.organizations.get(grantedOrgId)?.last
  }
  if (!userGrants.reads(event) && !roleMappings.reads(event)) return undefined
  const { projectOrgId, projectId } = event.data
  const organization = ofProject(projectOrgId, projectId)?.organizations.get(orgId)
  if (!organization) return undefined
  if (userGrants.reads(event)) return organization.users.get(event.data.userId)
  const { idpId, group } = event.data
  return ofProvider(idpId)?.groups.get(group)?.held.get(organization)
}
