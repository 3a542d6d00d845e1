import type { ObjectRef } from '../domain/values.js'
import type { AccessQuery, FoundAccess } from '../ports/access-reads.js'
import type { KnownEvent } from '../ports/known-event.js'
import { project, type Row } from './project.js'
import { aggregateOf, objectOf } from './read-events.js'
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

/** Nothing about roles depends on the times of a row. */
const NO_TIME = new Date(0)

/** The row before an event, as far as it decides about roles. */
const rowBefore = (world: World, event: KnownEvent): Row | undefined => {
  const orgId = event.metadata.resourceOwner
  const last = lastOf(world, orgId, objectOf(event))
  if (!last) return undefined
  const { state, since, begin, given } = last
  const fact = aggregateOf(event.type).fact?.(state, event.data, orgId)
  const details = {
    sequence: begin,
    creationDate: NO_TIME,
    changeDate: NO_TIME,
    resourceOwner: orgId,
  }
  return { state, details, protectedBy: undefined, fact: fact && { fact, since, begin, given } }
}

/** The last version of an object. */
const lastOf = (world: World, orgId: string, ref: ObjectRef): Version | undefined => {
  const ofProject = (id: string, owner = orgId) => world.projects.get(owner)?.get(id)
  const ofProvider = (idpId: string) => world.providers.get(orgId)?.get(idpId)
  switch (ref.type) {
    case 'project':
      return ofProject(ref.id)?.last
    case 'project_role':
      return ofProject(ref.projectId)?.roles.get(ref.roleKey)?.last
    case 'project_grant':
      return ofProject(ref.projectId)?.organizations.get(ref.grantedOrgId)?.last
    case 'user_grant': {
      const organizations = ofProject(ref.projectId, ref.projectOrgId)?.organizations
      return organizations?.get(orgId)?.users.get(ref.userId)
    }
    case 'identity_provider':
      return ofProvider(ref.idpId)?.last
    case 'membership':
      return ofProvider(ref.idpId)?.members.get(ref.userId)
    case 'role_mapping': {
      const organization = ofProject(ref.projectId, ref.projectOrgId)?.organizations.get(orgId)
      const group = ofProvider(ref.idpId)?.groups.get(ref.group)
      return organization && group?.held.get(organization)
    }
  }
  return undefined
}
