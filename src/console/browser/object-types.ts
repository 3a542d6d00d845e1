import {
  DomainState,
  domainService,
  identityProviderService,
  membershipService,
  projectGrantService,
  projectRoleService,
  projectService,
  roleMappingService,
  SetupLinkState,
  State,
  setupLinkService,
  userGrantService,
  type WireEnumValue,
  type WireMethod,
} from '../../transport/wire.js'
import type { PageName } from './page-names.js'
import { texts } from './texts.js'

/** A change of an object that is asked for by a button of this name. */
export type Verb = 'remove' | 'deactivate' | 'reactivate' | 'verify' | 'revoke'

/** The console's description of a type of objects. A new aggregate needs one. */
export interface ObjectType {
  readonly type: string
  readonly page: PageName
  readonly title: string
  /** Fields of its address, in the query of its page and in references. */
  readonly ids: readonly string[]
  readonly shown: readonly string[]
  /** Fields of its forms; each operation takes some of them. */
  readonly form: readonly string[]
  /** The permissions to change objects, and to add and remove them. */
  readonly permission: string
  readonly operations: {
    readonly get: WireMethod
    readonly add: WireMethod
    readonly update?: WireMethod
    readonly remove?: WireMethod
    readonly deactivate?: WireMethod
    readonly reactivate?: WireMethod
    readonly history: WireMethod
    /** Reads it as it was. */
    readonly stateAt: WireMethod
  }
  /** The states that its lists are filtered by. */
  readonly states?: readonly string[]
  /** Something else that is done to it in some of its states. */
  readonly step?: {
    readonly verb: Verb
    readonly operation: WireMethod
    readonly states: readonly string[]
    readonly look?: 'danger'
  }
}

const namesOf = (values: readonly WireEnumValue[]): readonly string[] =>
  values.filter(({ number }) => number > 0).map(({ name }) => name)

const APPEARANCE = ['stylingType', 'displayNameMapping', 'usernameMapping', 'autoRegister']

export const provider: ObjectType = {
  type: 'identity_provider',
  page: 'provider',
  title: texts.provider,
  ids: ['idpId'],
  shown: ['name', 'idpId', 'issuer', 'clientId', 'scopes', ...APPEARANCE, 'signIn'],
  form: ['name', 'issuer', 'clientId', 'clientSecret', 'scopes', ...APPEARANCE],
  permission: 'identity_provider.write',
  operations: {
    get: identityProviderService.getIdentityProvider,
    add: identityProviderService.addOidcIdentityProvider,
    update: identityProviderService.patchIdentityProvider,
    remove: identityProviderService.removeIdentityProvider,
    deactivate: identityProviderService.deactivateIdentityProvider,
    reactivate: identityProviderService.reactivateIdentityProvider,
    history: identityProviderService.listIdentityProviderHistory,
    stateAt: identityProviderService.getIdentityProviderState,
  },
  states: namesOf(State),
}

const CHECKS = [
  ...['projectRoleAssertion', 'projectRoleCheck', 'hasProjectCheck', 'privateLabelingSetting'],
]

export const project: ObjectType = {
  type: 'project',
  page: 'project',
  title: texts.project,
  ids: ['id'],
  shown: ['name', 'id', ...CHECKS],
  form: ['id', 'name', ...CHECKS],
  permission: 'project.write',
  operations: {
    get: projectService.getProject,
    add: projectService.addProject,
    update: projectService.patchProject,
    remove: projectService.removeProject,
    deactivate: projectService.deactivateProject,
    reactivate: projectService.reactivateProject,
    history: projectService.listProjectHistory,
    stateAt: projectService.getProjectState,
  },
  states: namesOf(State),
}

export const role: ObjectType = {
  type: 'project_role',
  page: 'role',
  title: texts.role,
  ids: ['projectId', 'roleKey'],
  shown: ['displayName', 'roleKey', 'group', 'permissions', 'projectId'],
  form: ['roleKey', 'displayName', 'group', 'permissions'],
  permission: 'project.role.write',
  operations: {
    get: projectRoleService.getProjectRole,
    add: projectRoleService.addProjectRole,
    update: projectRoleService.patchProjectRole,
    remove: projectRoleService.removeProjectRole,
    history: projectRoleService.listProjectRoleHistory,
    stateAt: projectRoleService.getProjectRoleState,
  },
}

export const projectGrant: ObjectType = {
  type: 'project_grant',
  page: 'project-grant',
  title: texts.projectGrant,
  ids: ['projectId', 'grantedOrgId'],
  shown: ['grantedOrgId', 'projectId', 'projectOrgId', 'roleKeys'],
  form: ['grantedOrgId', 'roleKeys'],
  permission: 'project.grant.write',
  operations: {
    get: projectGrantService.getProjectGrant,
    add: projectGrantService.addProjectGrant,
    update: projectGrantService.updateProjectGrant,
    remove: projectGrantService.removeProjectGrant,
    deactivate: projectGrantService.deactivateProjectGrant,
    reactivate: projectGrantService.reactivateProjectGrant,
    history: projectGrantService.listProjectGrantHistory,
    stateAt: projectGrantService.getProjectGrantState,
  },
  states: namesOf(State),
}

export const userGrant: ObjectType = {
  type: 'user_grant',
  page: 'user-grant',
  title: texts.userGrant,
  ids: ['userId', 'projectId', 'projectOrgId', 'resource'],
  shown: ['userId', 'projectId', 'projectOrgId', 'roles'],
  form: ['userId', 'projectId', 'projectOrgId', 'roles'],
  permission: 'user.grant.write',
  operations: {
    get: userGrantService.getUserGrant,
    add: userGrantService.addUserGrant,
    update: userGrantService.updateUserGrant,
    remove: userGrantService.removeUserGrant,
    deactivate: userGrantService.deactivateUserGrant,
    reactivate: userGrantService.reactivateUserGrant,
    history: userGrantService.listUserGrantHistory,
    stateAt: userGrantService.getUserGrantState,
  },
  states: namesOf(State),
}

export const domain: ObjectType = {
  type: 'domain',
  page: 'domain',
  title: texts.domain,
  ids: ['domain'],
  shown: ['domain', 'state', 'idpId', 'recordName', 'challenge'],
  form: ['domain', 'idpId'],
  permission: 'domain.write',
  operations: {
    get: domainService.getDomain,
    add: domainService.addDomain,
    update: domainService.setDomainProvider,
    remove: domainService.removeDomain,
    history: domainService.listDomainHistory,
    stateAt: domainService.getDomainState,
  },
  states: namesOf(DomainState),
  step: {
    verb: 'verify',
    operation: domainService.verifyDomain,
    states: ['DOMAIN_STATE_PENDING'],
  },
}

export const setupLink: ObjectType = {
  type: 'setup_link',
  page: 'setup-link',
  title: texts.setupLink,
  ids: ['linkId'],
  shown: ['linkId', 'state', 'intents', 'expiresAt', 'note'],
  form: [],
  permission: 'setup_link.write',
  operations: {
    get: setupLinkService.getSetupLink,
    add: setupLinkService.issueSetupLink,
    history: setupLinkService.listSetupLinkHistory,
    stateAt: setupLinkService.getSetupLinkState,
  },
  states: namesOf(SetupLinkState),
  step: {
    verb: 'revoke',
    operation: setupLinkService.revokeSetupLink,
    states: ['SETUP_LINK_STATE_ISSUED', 'SETUP_LINK_STATE_USED'],
    look: 'danger',
  },
}

export const roleMapping: ObjectType = {
  type: 'role_mapping',
  page: 'mapping',
  title: texts.mapping,
  ids: ['idpId', 'group', 'projectId', 'projectOrgId', 'resource'],
  shown: ['group', 'idpId', 'projectId', 'projectOrgId', 'roleKeys', 'validFor'],
  form: ['idpId', 'group', 'projectId', 'projectOrgId', 'roleKeys', 'resource', 'validFor'],
  permission: 'role_mapping.write',
  operations: {
    get: roleMappingService.getRoleMapping,
    add: roleMappingService.addRoleMapping,
    update: roleMappingService.updateRoleMapping,
    remove: roleMappingService.removeRoleMapping,
    history: roleMappingService.listRoleMappingHistory,
    stateAt: roleMappingService.getRoleMappingState,
  },
}

/** A provider's last report of a user's groups. Only providers change it. */
export const membership: ObjectType = {
  type: 'membership',
  page: 'membership',
  title: texts.membership,
  ids: ['idpId', 'userId'],
  shown: ['userId', 'idpId', 'groups'],
  form: [],
  permission: 'membership.write',
  operations: {
    get: membershipService.getMembership,
    add: membershipService.reportMembership,
    remove: membershipService.removeMembership,
    history: membershipService.listMembershipHistory,
    stateAt: membershipService.getMembershipState,
  },
}

export const objectTypes: readonly ObjectType[] = [
  provider,
  project,
  role,
  projectGrant,
  userGrant,
  domain,
  setupLink,
  roleMapping,
  membership,
]
