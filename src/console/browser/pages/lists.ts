import type { Adding } from '../forms/add-button.js'
import * as kinds from '../kinds.js'
import type { ListProps } from '../lists/list.js'
import { Section } from '../lists/section.js'
import { html } from '../parts/html.js'
import { texts } from '../texts.js'

const PROVIDERS: ListProps = {
  label: texts.providers,
  kind: kinds.provider,
  path: '/v1/idps',
  items: 'identityProviders',
  columns: ['name', 'issuer', 'clientId', 'state', 'changeDate'],
  filters: ['name', 'issuer', 'clientId', 'idpId'],
}
const PROJECTS: ListProps = {
  label: texts.projects,
  kind: kinds.project,
  path: '/v1/projects',
  items: 'projects',
  columns: ['name', 'id', 'state', 'changeDate'],
  filters: ['name', 'id'],
}
const RECEIVED: ListProps = {
  label: texts.received,
  kind: kinds.projectGrant,
  path: '/v1/receivedGrants',
  items: 'projectGrants',
  columns: ['projectId', 'projectOrgId', 'roleKeys', 'state'],
  filters: ['roleKey'],
  prefix: 'received.',
  empty: texts.emptyReceived,
  isForeign: true,
}
const DOMAINS: ListProps = {
  label: texts.domains,
  kind: kinds.domain,
  path: '/v1/domains',
  items: 'domains',
  columns: ['domain', 'state', 'idpId', 'changeDate'],
  filters: ['domain', 'idpId'],
}
const USERS: ListProps = {
  label: texts.userGrants,
  kind: kinds.userGrant,
  path: '/v1/userGrants',
  items: 'userGrants',
  columns: ['userId', 'projectId', 'roles', 'state', 'changeDate'],
  filters: ['userId', 'projectId', 'projectOrgId', 'roleKey'],
}

const page =
  (title: string, list: ListProps, add: Adding, about = '') =>
  () =>
    html`<article><${Section} title=${title} list=${list} add=${add} />${about && html`<p class="none">${about}</p>`}</article>`

export const Providers = page(texts.providers, PROVIDERS, { path: '/v1/idps/oidc' })
export const Domains = page(texts.domains, DOMAINS, { path: '/v1/domains' })
// Who may give roles of one project need not be allowed to give those of another.
const addGrant = { path: '/v1/userGrants', isForSome: true }
export const Users = page(texts.users, USERS, addGrant, texts.usersAbout)

export const Projects = () => html`<article>
  <${Section} title=${texts.projects} list=${PROJECTS} add=${{ path: '/v1/projects' }} />
  <${Section} list=${RECEIVED} />
</article>`
