import type { AnyEvent } from '../../domain/aggregates.js'
import { DomainName } from '../../domain/email-domain/domain-name.js'
import type { DomainAdded, DomainEvent } from '../../domain/email-domain/events.js'
import type { VerifiedDomainEvent } from '../../domain/email-domain/verified-domain.js'
import type {
  IdentityProviderEvent,
  OidcIdentityProviderAdded,
} from '../../domain/identity-provider/events.js'
import type { ProjectAdded, ProjectEvent } from '../../domain/project/events.js'
import type {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleUpdated,
} from '../../domain/project-role/events.js'
import {
  IdpId,
  type ObjectRef,
  OrgId,
  ProjectId,
  RoleKey,
  SealedSecret,
} from '../../domain/values.js'
import type {
  ListQuery,
  ProjectRole,
  RefOf,
  SortValue,
  Views,
  ViewType,
} from '../../ports/read-model.js'

/** What the laws need of one type of object. */
export interface Sample<Type extends ViewType> {
  /** An object is added, with that id or with a key made of the name and the id; in a project, if its type lies in one. */
  readonly added: (id: string, name: string, projectId?: string) => AnyEvent
  /** The object `id` is deactivated; undefined for a type that is always active. */
  readonly deactivated: ((id: string) => AnyEvent) | undefined
  /** The project that is listed; nothing for a type that does not lie in projects. */
  readonly within: Pick<ListQuery<Type>, 'projectId'>
  /** Events of every type that the object has. */
  readonly scenario: Scenario & { readonly ref: RefOf<Type> }
  /**
   * The fields that lists are sorted by, and how each is read. They are written out, so that a read model
   * that lacks one of them breaks a law.
   */
  readonly sortFields: Readers<Views[Type]>
  /** The fields that lists are filtered by. */
  readonly filterFields: readonly (keyof Views[Type] & string)[]
  /** The id or key, which is unique in a list; `key` where several ids together are. */
  readonly identity: (keyof Views[Type] & string) | 'key'
  /** The field that holds the name; undefined for a type without one. */
  readonly name: (keyof Views[Type] & string) | undefined
}

/** A sequence of events of one object. */
export interface Scenario {
  readonly ref: ObjectRef
  /** The first event adds the object. */
  readonly steps: readonly [Step, ...Step[]]
  /** Earlier events, by organization: of neighbours, and of objects with the same name elsewhere. */
  readonly others: readonly (readonly [orgId: string, event: AnyEvent])[]
}

/**
 * An event, the fields that it changes (absent when it removes the object; those that it takes away are undefined), and
 * a secret that it changes.
 */
export type Step = readonly [event: AnyEvent, changed?: Row, secret?: string]

/** Fields of an object as it is read. */
export type Row = Readonly<Record<string, unknown>>

type Readers<View> = Readonly<Record<string, (row: View) => SortValue>>

/** The sort fields of every type. */
export const SORT_FIELDS_OF_ALL: Readers<Views[ViewType]> = {
  state: (row) => row.state,
  sequence: ({ details }) => details.sequence,
  creationDate: ({ details }) => BigInt(details.creationDate.getTime()),
  changeDate: ({ details }) => BigInt(details.changeDate.getTime()),
}

/** A sealed secret in an event; no read may return it. */
export const SEAL = 'sealed-and-never-shown'

/** An identity provider is added. */
export const idpAdded = (idpId: string, name = 'Login'): OidcIdentityProviderAdded => ({
  type: 'identity_provider.oidc_added',
  data: {
    idpId: IdpId.parse(idpId),
    name,
    stylingType: 'STYLING_TYPE_GOOGLE',
    autoRegister: true,
    clientId: `client-of-${idpId}`,
    issuer: `https://${name}.example`,
    scopes: ['openid', 'email'],
    displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
    usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
    clientSecret: SealedSecret.parse(SEAL),
  },
})

const providerEvent =
  (
    type:
      | 'identity_provider.deactivated'
      | 'identity_provider.reactivated'
      | 'identity_provider.removed',
  ) =>
  (idpId: string): IdentityProviderEvent => ({ type, data: { idpId: IdpId.parse(idpId) } })

/** An identity provider is deactivated. */
export const idpDeactivated = providerEvent('identity_provider.deactivated')

/** An identity provider is reactivated. */
export const idpReactivated = providerEvent('identity_provider.reactivated')

/** An identity provider is removed. */
export const idpRemoved = providerEvent('identity_provider.removed')

const idpId = IdpId.parse('google')
const { clientSecret, ...provider } = idpAdded(idpId).data
const oidc = {
  clientId: 'other',
  issuer: '',
  scopes: [],
  displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
} as const
const resealed = { idpId, ...oidc, clientSecret }
const appearance = {
  name: 'Renamed',
  stylingType: 'STYLING_TYPE_UNSPECIFIED',
  autoRegister: false,
} as const

/** Samples of identity providers. */
export const identityProviderSample: Sample<'identity_provider'> = {
  added: idpAdded,
  deactivated: idpDeactivated,
  within: {},
  scenario: {
    ref: { type: 'identity_provider', idpId },
    steps: [
      [idpAdded(idpId), { ...provider, state: 'active' }, 'clientSecret'],
      [{ type: 'identity_provider.oidc_config_updated', data: { idpId, ...oidc } }, oidc],
      [{ type: 'identity_provider.oidc_config_updated', data: resealed }, {}, 'clientSecret'],
      [{ type: 'identity_provider.updated', data: { idpId, ...appearance } }, appearance],
      [idpDeactivated(idpId), { state: 'inactive' }],
      [{ type: 'identity_provider.secret_resealed', data: { idpId, clientSecret } }, {}],
      [{ type: 'identity_provider.reactivated', data: { idpId } }, { state: 'active' }],
      [idpRemoved(idpId)],
    ],
    others: [
      ['acme', idpAdded('next')],
      ['other', idpAdded(idpId)],
    ],
  },
  sortFields: {
    idpId: (row) => row.idpId,
    name: (row) => row.name,
    stylingType: (row) => row.stylingType,
    clientId: (row) => row.clientId,
    issuer: (row) => row.issuer,
    displayNameMapping: (row) => row.displayNameMapping,
    usernameMapping: (row) => row.usernameMapping,
    autoRegister: (row) => row.autoRegister,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['idpId', 'name', 'clientId', 'issuer', 'state'],
  identity: 'idpId',
  name: 'name',
}

/** A project is added. */
export const projectAdded = (id: string, name = 'Portal', check = false): ProjectAdded => ({
  type: 'project.added',
  data: {
    id: ProjectId.parse(id),
    name,
    projectRoleAssertion: true,
    projectRoleCheck: check,
    hasProjectCheck: !check,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  },
})

const projectEvent =
  (type: 'project.deactivated' | 'project.removed') =>
  (id: string): ProjectEvent => ({ type, data: { id: ProjectId.parse(id) } })

/** A project becomes inactive. */
export const projectDeactivated = projectEvent('project.deactivated')

/** A project is removed. */
export const projectRemoved = projectEvent('project.removed')

const id = ProjectId.parse('portal')
const settings = {
  name: 'Renamed',
  projectRoleAssertion: false,
  projectRoleCheck: true,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

/** Events of the project `portal` that change it and do not remove it. */
export const PROJECT_CHANGES: readonly Step[] = [
  [{ type: 'project.updated', data: { id, ...settings } }, settings],
  [projectDeactivated(id), { state: 'inactive' }],
  [{ type: 'project.reactivated', data: { id } }, { state: 'active' }],
]

/** Samples of projects. */
export const projectSample: Sample<'project'> = {
  added: (id, name) => projectAdded(id, name, name.length % 2 === 0),
  deactivated: projectDeactivated,
  within: {},
  scenario: {
    ref: { type: 'project', id },
    steps: [
      [projectAdded(id), { ...projectAdded(id).data, state: 'active' }],
      ...PROJECT_CHANGES,
      [projectRemoved(id)],
    ],
    others: [
      ['acme', projectAdded('shop')],
      ['other', projectAdded(id)],
    ],
  },
  sortFields: {
    id: (row) => row.id,
    name: (row) => row.name,
    projectRoleAssertion: (row) => row.projectRoleAssertion,
    projectRoleCheck: (row) => row.projectRoleCheck,
    hasProjectCheck: (row) => row.hasProjectCheck,
    privateLabelingSetting: (row) => row.privateLabelingSetting,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['id', 'name', 'state'],
  identity: 'id',
  name: 'name',
}

/** The name and the group of a role; its key and none if they are absent. */
type Shown = Partial<Pick<ProjectRole, 'displayName' | 'group'>>

const idsOf = (projectId: string, roleKey: string) => ({
  projectId: ProjectId.parse(projectId),
  roleKey: RoleKey.parse(roleKey),
})

/** A role is added. */
export const roleAdded = (
  projectId: string,
  roleKey: string,
  { displayName = roleKey, group = '' }: Shown = {},
): ProjectRoleAdded => ({
  type: 'project_role.added',
  data: { ...idsOf(projectId, roleKey), displayName, group },
})

/** A role gets another name or group. */
export const roleUpdated = (
  projectId: string,
  roleKey: string,
  shown: Shown,
): ProjectRoleUpdated => ({
  type: 'project_role.updated',
  data: roleAdded(projectId, roleKey, shown).data,
})

/** A role is removed. */
export const roleRemoved = (projectId: string, roleKey: string): ProjectRoleEvent => ({
  type: 'project_role.removed',
  data: idsOf(projectId, roleKey),
})

const role = idsOf('portal', 'editor')
const shown = { displayName: 'Chief editor', group: 'content' }
const firstRole = { ...role, displayName: 'editor', group: '', state: 'active' }

/** Samples of roles. */
export const projectRoleSample: Sample<'project_role'> = {
  added: (id, name, projectId = 'portal') =>
    roleAdded(projectId, `${name}-${id}`, { displayName: name, group: [...name][0] ?? '' }),
  deactivated: undefined,
  within: { projectId: 'portal' },
  scenario: {
    ref: { type: 'project_role', ...role },
    steps: [
      [roleAdded('portal', 'editor'), firstRole],
      [roleUpdated('portal', 'editor', shown), shown],
      [roleRemoved('portal', 'editor')],
      [roleAdded('portal', 'editor'), firstRole],
    ],
    others: [
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'reader')],
      ['other', projectAdded('portal')],
      ['other', roleAdded('portal', 'editor')],
    ],
  },
  sortFields: {
    projectId: (row) => row.projectId,
    roleKey: (row) => row.roleKey,
    displayName: (row) => row.displayName,
    group: (row) => row.group,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['roleKey', 'displayName', 'group', 'state'],
  identity: 'roleKey',
  name: 'displayName',
}

const CHALLENGE = 'claviger-domain-verification=1'

/** A domain is added. */
export const domainAdded = (domain: string): DomainAdded => ({
  type: 'domain.added',
  data: { domain: DomainName.parse(domain), challenge: CHALLENGE },
})

const domainEvent =
  (type: 'domain.verified' | 'domain.removed') =>
  (domain: string): DomainEvent => ({ type, data: { domain: DomainName.parse(domain) } })

/** A domain is verified. */
export const domainVerified = domainEvent('domain.verified')
/** A domain is removed. */
export const domainRemoved = domainEvent('domain.removed')

/** A domain has another provider, or none. */
export const domainProviderSet = (domain: string, idpId?: string): DomainEvent => ({
  type: 'domain.provider_set',
  data: {
    domain: DomainName.parse(domain),
    ...(idpId !== undefined && { idpId: IdpId.parse(idpId) }),
  },
})

/** A domain has become that of an organization among all organizations. */
export const domainClaimed = (domain: string, orgId: string): VerifiedDomainEvent => ({
  type: 'verified_domain.claimed',
  data: { domain: DomainName.parse(domain), orgId: OrgId.parse(orgId) },
})

/** The domain of the sample. */
export const DOMAIN = 'globex.example'

const domain = DOMAIN
const firstDomain = { domain, state: 'pending', challenge: CHALLENGE }

/** Samples of domains. */
export const domainSample: Sample<'domain'> = {
  added: (id) => domainAdded(`${id}.example`),
  deactivated: undefined,
  within: {},
  scenario: {
    ref: { type: 'domain', domain },
    steps: [
      [domainAdded(domain), firstDomain],
      [domainProviderSet(domain, 'idp-1'), { idpId: 'idp-1' }],
      [domainVerified(domain), { state: 'verified', challenge: undefined }],
      [domainProviderSet(domain), { idpId: undefined }],
      [domainRemoved(domain)],
      [domainAdded(domain), firstDomain],
    ],
    others: [
      ['acme', idpAdded('idp-1')],
      ['acme', domainAdded('initech.example')],
      ['other', domainAdded(domain)],
    ],
  },
  sortFields: {
    domain: (row) => row.domain,
    idpId: (row) => row.idpId ?? '',
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['domain', 'idpId', 'state'],
  identity: 'domain',
  name: undefined,
}
