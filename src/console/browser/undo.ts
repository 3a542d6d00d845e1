import {
  accessService,
  projectGrantService,
  projectRoleService,
  roleMappingService,
  userGrantService,
  type WireMethod,
} from '../../transport/wire.js'
import type { Json, StoredObject } from './api.js'
import { readAll } from './csv.js'
import { ownOrganization } from './known.js'
import { type ObjectType, role, roleMapping, userGrant } from './object-types.js'
import { sayCount, texts } from './texts.js'
import { etagOf, type RoleChoice, type Step, type Undo } from './write.js'

const { deactivateUserGrant, giveUserGrant } = userGrantService

/** What adds an object again after its removal. Nothing does, where its id or its secret is lost. */
export const undoRemoval = async (type: ObjectType, object: StoredObject): Promise<Undo> => {
  if (type === role) return undoOfRole(object)
  if (type === roleMapping)
    return {
      steps: [again(roleMappingService.addRoleMapping, object)],
      left: texts.undoneGroups,
    }
  return { steps: type === userGrant ? givenAgain(object) : [] }
}

/** Sends the fields of an object as they were: those that the operation takes. */
const again = (operation: WireMethod, object: Json): Step => ({
  operation,
  values: Object.fromEntries(
    operation.request.fields.map(({ name }) => [name, object[name] || undefined]),
  ),
})

/** The same, unless somebody else has changed the object since. */
const unchanged = (operation: WireMethod, object: StoredObject): Step => ({
  ...again(operation, object),
  etag: etagOf(object),
})

/** Gives a user the roles of a grant again that have not ended: an end in the past cannot be given. */
export const givenAgain = (grant: Json, etag?: string): readonly Step[] => {
  const roles = ((grant['roles'] ?? []) as readonly RoleChoice[]).filter(
    ({ expiresAt }) => !expiresAt || Date.parse(expiresAt) > Date.now(),
  )
  if (roles.length === 0) return []
  const given = { ...again(giveUserGrant, { ...grant, roles }), etag }
  // A grant that is added again is active.
  const isInactive = grant['state'] === 'STATE_INACTIVE'
  return [isInactive ? { ...given, next: again(deactivateUserGrant, grant) } : given]
}

interface Holder {
  readonly orgId: string
  readonly via?: object
}

/** All rows of a list; none where it cannot be read. */
const rowsOf = async <Row = StoredObject>(operation: WireMethod, query: Json) => {
  const all = await readAll<Row>(operation, query)
  return 'rows' in all ? all.rows : []
}

/** Adds a role again, and gives it to all who had it in this organization, with their ends. */
const undoOfRole = async (object: StoredObject): Promise<Undo> => {
  const { projectId, roleKey } = object
  const like = { 'filter.role_key.equals': roleKey }
  const ofProject = { ...like, 'filter.project_id.equals': projectId }
  const ofOwner = { ...ofProject, 'filter.project_org_id.equals': ownOrganization() }
  const [holders, userGrants, grants, mappings] = await Promise.all([
    rowsOf<Holder>(accessService.listRoleHolders, { projectId, roleKey }),
    rowsOf(userGrantService.listUserGrants, ofOwner),
    rowsOf(projectGrantService.listProjectGrants, { projectId, ...like }),
    rowsOf(roleMappingService.listRoleMappings, ofProject),
  ])
  const others = holders.filter(({ orgId, via }) => !via && orgId !== ownOrganization()).length
  return {
    steps: [
      again(projectRoleService.addProjectRole, object),
      ...grants.map((grant) => unchanged(projectGrantService.updateProjectGrant, grant)),
      ...userGrants.flatMap((grant) => {
        const held = (grant['roles'] ?? []) as readonly RoleChoice[]
        const roles = held.filter((each) => each.roleKey === roleKey)
        return givenAgain({ ...grant, roles }, etagOf(grant))
      }),
      ...mappings
        .filter(({ projectOrgId, details }) => projectOrgId === details.resourceOwner)
        .map((mapping) => unchanged(roleMappingService.updateRoleMapping, mapping)),
    ],
    left: others > 0 ? sayCount(texts.undoneBut, others) : undefined,
  }
}
