import { type Adding, Section } from '../list.js'
import * as types from '../object-types.js'
import type { ListSpec } from '../rows.js'
import { texts } from '../texts.js'

const PROVIDERS: ListSpec = {
  label: texts.providers,
  type: types.provider,
  path: '/v1/idps',
  items: 'identityProviders',
  columns: ['name', 'issuer', 'clientId', 'state', 'changeDate'],
  filters: ['name', 'issuer', 'clientId', 'idpId'],
}
const PROJECTS: ListSpec = {
  label: texts.projects,
  type: types.project,
  path: '/v1/projects',
  items: 'projects',
  columns: ['name', 'id', 'state', 'changeDate'],
  filters: ['name', 'id'],
}
const RECEIVED: ListSpec = {
  label: texts.received,
  type: types.projectGrant,
  path: '/v1/receivedGrants',
  items: 'projectGrants',
  columns: ['projectId', 'projectOrgId', 'roleKeys', 'state'],
  filters: ['roleKey'],
  prefix: 'received.',
  empty: texts.emptyReceived,
  isForeign: true,
}
const DOMAINS: ListSpec = {
  label: texts.domains,
  type: types.domain,
  path: '/v1/domains',
  items: 'domains',
  columns: ['domain', 'state', 'idpId', 'changeDate'],
  filters: ['domain', 'idpId'],
}
const USERS: ListSpec = {
  label: texts.userGrants,
  type: types.userGrant,
  path: '/v1/userGrants',
  items: 'userGrants',
  columns: ['userId', 'projectId', 'roles', 'state', 'changeDate'],
  filters: ['userId', 'projectId', 'projectOrgId', 'roleKey'],
}

const page = (title: string, list: ListSpec, add: Adding) => () => (
  <article>
    <Section title={title} list={list} add={add} />
  </article>
)

export const Providers = page(texts.providers, PROVIDERS, { path: '/v1/idps/oidc' })
export const Domains = page(texts.domains, DOMAINS, { path: '/v1/domains' })

export const Users = () => (
  <article>
    <Section title={texts.users} list={USERS} add={{ path: '/v1/userGrants', isForSome: true }} />
    <p class="none">{texts.usersAbout}</p>
  </article>
)

export const Projects = () => (
  <article>
    <Section title={texts.projects} list={PROJECTS} add={{ path: '/v1/projects' }} />
    <Section list={RECEIVED} />
  </article>
)
