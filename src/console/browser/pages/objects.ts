import { useState } from 'preact/hooks'
import * as kinds from '../kinds.js'
import { html } from '../parts/html.js'
import { List, type ListProps } from '../parts/list.js'
import { FailureNotice } from '../parts/notice.js'
import { AddButton, ObjectView } from '../parts/object-view.js'
import { call, type Failure, type Json } from '../state/api.js'
import { href, parameter } from '../state/router.js'
import { texts } from '../texts.js'

const withAdd = (
  title: string,
  list: Omit<ListProps, 'label'>,
  add?: { readonly path: string; readonly fixed?: Json },
) => {
  const Section = () => {
    const [round, setRound] = useState(0)
    return html`<section><header><h2>${title}</h2>${add && html`<${AddButton} kind=${list.kind} ...${add} done=${() => setRound((last) => last + 1)} />`}</header>
      <${List} ...${list} label=${title} round=${round} /></section>`
  }
  return Section
}

const ProviderSection = withAdd(
  texts.providers,
  {
    kind: kinds.provider,
    path: '/v1/idps',
    items: 'identityProviders',
    columns: ['name', 'issuer', 'clientId', 'state', 'changeDate'],
    filters: ['name', 'issuer', 'clientId', 'idpId'],
  },
  { path: '/v1/idps/oidc' },
)
const ProjectSection = withAdd(
  texts.projects,
  {
    kind: kinds.project,
    path: '/v1/projects',
    items: 'projects',
    columns: ['name', 'id', 'state', 'changeDate'],
    filters: ['name', 'id'],
  },
  { path: '/v1/projects' },
)
const ReceivedSection = withAdd(texts.received, {
  kind: kinds.projectGrant,
  path: '/v1/receivedGrants',
  items: 'projectGrants',
  columns: ['projectId', 'projectOrgId', 'roleKeys', 'state'],
  filters: ['roleKey'],
  prefix: 'received.',
})
const DomainSection = withAdd(
  texts.domains,
  {
    kind: kinds.domain,
    path: '/v1/domains',
    items: 'domains',
    columns: ['domain', 'state', 'idpId', 'changeDate'],
    filters: ['domain', 'idpId'],
  },
  { path: '/v1/domains' },
)
const UserSection = withAdd(
  texts.users,
  {
    kind: kinds.userGrant,
    path: '/v1/userGrants',
    items: 'userGrants',
    columns: ['userId', 'projectId', 'roles', 'state', 'changeDate'],
    filters: ['userId', 'projectId', 'roleKey'],
  },
  { path: '/v1/userGrants' },
)

export const Providers = () =>
  html`<article><h1>${texts.providers}</h1><${ProviderSection} /></article>`
export const Projects = () =>
  html`<article><h1>${texts.projects}</h1><${ProjectSection} /><${ReceivedSection} /></article>`
export const Users = () => html`<article><h1>${texts.users}</h1><${UserSection} /></article>`

export const Domains = () => html`<article><h1>${texts.domains}</h1><${DomainSection} /></article>`

export const Provider = () =>
  html`<${ObjectView} kind=${kinds.provider} back=${href('providers')} />`
export const Role = () =>
  html`<${ObjectView} kind=${kinds.role} back=${href('project', { id: parameter('projectId') })} />`
export const ProjectGrant = () =>
  html`<${ObjectView} kind=${kinds.projectGrant} back=${href('project', { id: parameter('projectId') })} />`
export const Domain = () => html`<${ObjectView} kind=${kinds.domain} back=${href('domains')} />`
export const UserGrant = () => html`<${ObjectView} kind=${kinds.userGrant} back=${href('users')}>
  <p><a href=${href('user', { userId: parameter('userId') })}>${texts.user}: <bdi>${parameter('userId')}</bdi></a></p><//>`

export const Project = () => {
  const id = parameter('id')
  const fixed = { projectId: id }
  const path = `/v1/projects/${encodeURIComponent(id)}`
  return html`<${ObjectView} kind=${kinds.project} back=${href('projects')}>
    <nav class="links" aria-label=${texts.project}><a href=${href('matrix', fixed)}>${texts.matrix}</a> <a href=${href('review', fixed)}>${texts.review}</a></nav>
    <${ProjectParts} key=${id} path=${path} fixed=${fixed} /><//>`
}

const ProjectParts = ({ path, fixed }: { readonly path: string; readonly fixed: Json }) => {
  const [{ Roles, Grants }] = useState(() => ({
    Roles: withAdd(
      texts.roles,
      {
        kind: kinds.role,
        path: `${path}/roles`,
        items: 'projectRoles',
        columns: ['displayName', 'roleKey', 'group'],
        filters: ['displayName', 'roleKey', 'group'],
        prefix: 'roles.',
      },
      { path: `${path}/roles`, fixed: {} },
    ),
    Grants: withAdd(
      texts.projectGrants,
      {
        kind: kinds.projectGrant,
        path: `${path}/grants`,
        items: 'projectGrants',
        columns: ['grantedOrgId', 'roleKeys', 'state'],
        filters: ['grantedOrgId', 'roleKey'],
        prefix: 'grants.',
      },
      { path: `${path}/grants`, fixed: {} },
    ),
  }))
  return html`<div data-project=${fixed['projectId']}><${Roles} /><${Grants} /></div>`
}

/** A user: all grants, and the way to take them all. */
export const User = () => {
  const userId = parameter('userId')
  const [round, setRound] = useState(0)
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isAsking, setAsking] = useState(false)
  const removeAll = async () => {
    setAsking(false)
    const outcome = await call({
      method: 'POST',
      path: '/v1/userGrants:removeAll',
      body: { userId },
    })
    setFailure('failure' in outcome ? outcome.failure : undefined)
    setRound((last) => last + 1)
  }
  return html`<article><p class="kind">${texts.user}</p><h1><bdi>${userId}</bdi></h1>
    <${List} kind=${kinds.userGrant} path=${`/v1/userGrants?filter.user_id.equals=${encodeURIComponent(userId)}`} items="userGrants" columns=${['projectId', 'projectOrgId', 'roles', 'state']} filters=${['projectId', 'roleKey']} label=${texts.userGrant} round=${round} />
    <div class="actions start">${isAsking ? html`<span>${texts.removeAllAsk}</span> <button type="button" onClick=${() => setAsking(false)}>${texts.cancel}</button> <button type="button" class="danger" onClick=${removeAll}>${texts.confirm}</button>` : html`<button type="button" class="danger" onClick=${() => setAsking(true)}>${texts.removeAll}</button>`}</div>
    ${failure && html`<${FailureNotice} failure=${failure} />`}</article>`
}
