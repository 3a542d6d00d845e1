import {
  accessService,
  projectGrantService,
  projectRoleService,
  roleMappingService,
  userGrantService,
} from '../../transport/wire.js'
import type { StoredObject } from './api.js'
import { readAll } from './csv.js'
import { ownOrganization } from './known.js'
import { type ObjectType, role, roleMapping, userGrant } from './object-types.js'
import { sayCount, texts } from './texts.js'
import type { Step, Undo } from './write.js'

/** What adds an object again after its removal. Nothing does, where its id or its secret is lost. */
export const undoRemoval = async (type: ObjectType, object: StoredObject): Promise<Undo> => {
  if (type === role) return undoOfRole(object)
  if (type === roleMapping)
    return { steps: [{ operation: roleMappingService.addRoleMapping, values: mapped(object) }] }
  if (type === userGrant) return { steps: givenAgain(object) }
  return { steps: [] }
}

/** A mapping as it was, for a request. */
const mapped = ({
  idpId,
  group,
  projectId,
  projectOrgId,
  resource,
  roleKeys,
  validFor,
}: StoredObject) => ({
  ...{ idpId, group, projectId, projectOrgId, roleKeys },
  ...(resource && { resource }),
  ...(validFor && { validFor }),
})

/** Gives a user the roles of a grant again. */
export const givenAgain = ({
  userId,
  projectId,
  projectOrgId,
  resource,
  roles,
}: StoredObject): readonly Step[] => {
  const living = livingOf(roles)
  const values = {
    ...{ userId, projectId, projectOrgId, roles: living },
    ...(resource && { resource }),
  }
  return living.length > 0 ? [{ operation: userGrantService.giveUserGrant, values }] : []
}

interface Given {
  readonly roleKey: string
  readonly expiresAt?: string
}

/** Roles that have not ended: an end in the past cannot be given. */
const livingOf = (roles: unknown): readonly { roleKey: string; expiresAt?: string }[] =>
  ((roles ?? []) as readonly Given[])
    .filter(({ expiresAt }) => !expiresAt || Date.parse(expiresAt) > Date.now())
    .map(({ roleKey, expiresAt }) => ({ roleKey, ...(expiresAt && { expiresAt }) }))

interface Holder {
  readonly orgId: string
  readonly via?: object
}

const isOfOther = ({ orgId, via }: Holder): boolean => !via && orgId !== ownOrganization()

/** Adds a role again, and gives it to all who had it in this organization, with their ends. */
const undoOfRole = async (object: StoredObject): Promise<Undo> => {
  const { projectId, roleKey, displayName, group, permissions } = object
  const added = { projectId, roleKey, displayName, group, permissions }
  const like = { 'filter.role_key.equals': roleKey }
  const ofProject = { ...like, 'filter.project_id.equals': projectId }
  const [holders, userGrants, grants, mappings] = await Promise.all([
    readAll<Holder>(accessService.listRoleHolders, { projectId, roleKey }),
    readAll<StoredObject>(userGrantService.listUserGrants, {
      ...ofProject,
      'filter.project_org_id.equals': ownOrganization(),
    }),
    readAll<StoredObject>(projectGrantService.listProjectGrants, { projectId, ...like }),
    readAll<StoredObject>(roleMappingService.listRoleMappings, ofProject),
  ])
  const others = 'rows' in holders ? holders.rows.filter(isOfOther).length : 0
  return {
    steps: [
      { operation: projectRoleService.addProjectRole, values: added },
      ...('rows' in grants ? grants.rows : []).map(({ grantedOrgId, roleKeys }) => ({
        operation: projectGrantService.updateProjectGrant,
        values: { projectId, grantedOrgId, roleKeys },
      })),
      ...('rows' in userGrants ? userGrants.rows : [])
        .map(({ userId, resource, roles }) => ({
          userId,
          projectId,
          ...(resource && { resource }),
          roles: livingOf(roles).filter((each) => each.roleKey === roleKey),
        }))
        .filter(({ roles }) => roles.length > 0)
        .map((values) => ({ operation: userGrantService.giveUserGrant, values })),
      ...('rows' in mappings ? mappings.rows : [])
        .filter(({ projectOrgId, details }) => projectOrgId === details.resourceOwner)
        .map((mapping) => ({
          operation: roleMappingService.updateRoleMapping,
          values: mapped(mapping),
        })),
    ],
    left: others > 0 ? sayCount(texts.undoneBut, others) : undefined,
  }
}
