import type { AnyEvent } from '../../domain/aggregates.js'
import { DomainName } from '../../domain/email-domain/domain-name.js'
import type { VerifiedDomainEvent } from '../../domain/email-domain/verified-domain.js'
import type { OidcIdentityProviderAdded } from '../../domain/identity-provider/events.js'
import type { ProjectAdded } from '../../domain/project/events.js'
import type { ProjectRole } from '../../domain/project-role/aggregate.js'
import { IdpId, type ObjectRef, OrgId, ProjectId, SealedSecret } from '../../domain/values.js'
import type { RefOf, Views, ViewType } from '../../ports/read-model.js'
import { aggregateOf } from '../../projections/read-events.js'

// Each function makes the event of its name: of providers, projects, roles, domains and set-up links.

/** The samples of one type of object for the laws. */
export interface Sample<Type extends ViewType> {
  /** An object is added, with that id or with a key made of the name and the id; in a project, if its type lies in one. */
  readonly added: (id: string, name: string, projectId?: string) => AnyEvent
  /** The object `id` is deactivated; absent for a type that is always active. */
  readonly deactivated?: (id: string) => AnyEvent
  /** Events of every type that the object has. */
  readonly scenario: Scenario & { readonly ref: RefOf<Type> }
  /** The field that holds the name; absent for a type without one. */
  readonly name?: keyof Views[Type] & string
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

/** An event as a decider makes it. */
export const eventOf = (type: AnyEvent['type'], data: object): AnyEvent =>
  aggregateOf(type).decider.eventSchema.parse({ type, data })

/** A sealed secret in an event; no read may return it. */
export const SEAL = 'sealed-and-never-shown'

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

export const idpDeactivated = (idpId: string) => eventOf('identity_provider.deactivated', { idpId })
export const idpReactivated = (idpId: string) => eventOf('identity_provider.reactivated', { idpId })
export const idpRemoved = (idpId: string) => eventOf('identity_provider.removed', { idpId })

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

const signIn = {
  groups: { claim: 'realm_access', path: ['roles'] },
  admit: [{ claim: 'hd', values: ['example.com'] }],
  addresses: 'verified',
} as const

export const identityProviderSample: Sample<'identity_provider'> = {
  added: idpAdded,
  deactivated: idpDeactivated,
  scenario: {
    ref: { type: 'identity_provider', idpId },
    steps: [
      [idpAdded(idpId), { ...provider, state: 'active' }, 'clientSecret'],
      [eventOf('identity_provider.oidc_config_updated', { idpId, ...oidc }), oidc],
      [eventOf('identity_provider.oidc_config_updated', resealed), {}, 'clientSecret'],
      [eventOf('identity_provider.updated', { idpId, ...appearance }), appearance],
      [eventOf('identity_provider.sign_in_configured', { idpId, ...signIn }), { signIn }],
      [eventOf('identity_provider.sign_in_configured', { idpId }), { signIn: undefined }],
      [idpDeactivated(idpId), { state: 'inactive' }],
      [eventOf('identity_provider.secret_resealed', { idpId, clientSecret }), {}],
      [idpReactivated(idpId), { state: 'active' }],
      [idpRemoved(idpId)],
    ],
    others: [
      ['acme', idpAdded('next')],
      ['other', idpAdded(idpId)],
    ],
  },
  name: 'name',
}

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

export const projectDeactivated = (id: string) => eventOf('project.deactivated', { id })
export const projectReactivated = (id: string) => eventOf('project.reactivated', { id })
export const projectRemoved = (id: string) => eventOf('project.removed', { id })

const id = 'portal'
const settings = {
  name: 'Renamed',
  projectRoleAssertion: false,
  projectRoleCheck: true,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

/** Events of the project `portal` that change it and do not remove it. */
export const PROJECT_CHANGES: readonly Step[] = [
  [eventOf('project.updated', { id, ...settings }), settings],
  [projectDeactivated(id), { state: 'inactive' }],
  [projectReactivated(id), { state: 'active' }],
]

export const projectSample: Sample<'project'> = {
  added: (id, name) => projectAdded(id, name, name.length % 2 === 0),
  deactivated: projectDeactivated,
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
  name: 'name',
}

/** Name, group and permissions of a role; its key, none and none if they are absent. */
type Shown = Partial<Pick<ProjectRole, 'displayName' | 'group' | 'permissions'>>

export const roleAdded = (projectId: string, roleKey: string, fields: Shown = {}) =>
  eventOf('project_role.added', {
    projectId,
    roleKey,
    displayName: roleKey,
    group: '',
    permissions: [],
    ...fields,
  })
/** A role gets another name, another group or other permissions. */
export const roleUpdated = (projectId: string, roleKey: string, fields: Shown) =>
  eventOf('project_role.updated', { ...roleAdded(projectId, roleKey, fields).data })
export const roleRemoved = (projectId: string, roleKey: string) =>
  eventOf('project_role.removed', { projectId, roleKey })

const role = { projectId: 'portal', roleKey: 'editor' }
const fields = {
  displayName: 'Chief editor',
  group: 'content',
  permissions: ['article.edit', 'article.read'],
}
const firstRole = {
  ...role,
  displayName: 'editor',
  group: '',
  permissions: ['article.read'],
  state: 'active',
}
const editorAdded = roleAdded('portal', 'editor', { permissions: ['article.read'] })

export const projectRoleSample: Sample<'project_role'> = {
  added: (id, name, projectId = 'portal') =>
    roleAdded(projectId, `${name}-${id}`, { displayName: name, group: [...name][0] ?? '' }),
  scenario: {
    ref: { type: 'project_role', ...role },
    steps: [
      [editorAdded, firstRole],
      [roleUpdated('portal', 'editor', fields), fields],
      [roleRemoved('portal', 'editor')],
      [editorAdded, firstRole],
    ],
    others: [
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'reader')],
      ['other', projectAdded('portal')],
      ['other', roleAdded('portal', 'editor')],
    ],
  },
  name: 'displayName',
}

const CHALLENGE = 'claviger-domain-verification=1'

export const domainAdded = (domain: string) =>
  eventOf('domain.added', { domain, challenge: CHALLENGE })
export const domainVerified = (domain: string) => eventOf('domain.verified', { domain })
export const domainRemoved = (domain: string) => eventOf('domain.removed', { domain })
/** A domain has another provider, or none. */
export const domainProviderSet = (domain: string, idpId?: string) =>
  eventOf('domain.provider_set', { domain, ...(idpId !== undefined && { idpId }) })
/** A domain is claimed by an organization among all organizations. */
export const domainClaimed = (domain: string, orgId: string): VerifiedDomainEvent => ({
  type: 'verified_domain.claimed',
  data: { domain: DomainName.parse(domain), orgId: OrgId.parse(orgId) },
})

/** The domain of the sample. */
export const DOMAIN = 'globex.example'

const domain = DOMAIN
const firstDomain = { domain, state: 'pending', challenge: CHALLENGE }

export const domainSample: Sample<'domain'> = {
  added: (id) => domainAdded(`${id}.example`),
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
}

const EXPIRY = '2027-01-31T12:00:00.000Z'

export const setupLinkIssued = (
  linkId: string,
  more: { readonly note?: string; readonly idpId?: string; readonly domain?: string } = {},
) =>
  eventOf('setup_link.issued', {
    linkId,
    expiresAt: EXPIRY,
    intents: ['provider', 'domain'],
    ...more,
  })

const linkId = 'link-1'
const firstLink = {
  linkId,
  state: 'issued',
  intents: ['provider', 'domain'],
  expiresAt: new Date(EXPIRY),
  note: 'For Ada',
  idpId: 'idp-1',
  domain,
}

export const setupLinkSample: Sample<'setup_link'> = {
  added: (id, name) => setupLinkIssued(id, name === '' ? {} : { note: name }),
  scenario: {
    ref: { type: 'setup_link', linkId },
    steps: [
      [setupLinkIssued(linkId, { note: 'For Ada', idpId: 'idp-1', domain }), firstLink],
      [eventOf('setup_link.used', { linkId }), { state: 'used' }],
      [eventOf('setup_link.provider_checked', { linkId, check: 'test', sequence: '7' }), {}],
      [eventOf('setup_link.completed', { linkId }), { state: 'completed' }],
      [eventOf('setup_link.revoked', { linkId }), { state: 'revoked' }],
    ],
    others: [
      ['acme', setupLinkIssued('link-2')],
      ['other', setupLinkIssued(linkId)],
    ],
  },
  name: 'note',
}
