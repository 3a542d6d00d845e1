import * as kinds from '../kinds.js'
import { html } from '../parts/html.js'
import { ObjectView } from '../parts/object-view.js'
import { href, parameter } from '../state/router.js'
import { texts } from '../texts.js'
import { ProviderTest } from './provider-test.js'

const ofProject = (): string => href('project', { id: parameter('projectId') })

export const Provider = () =>
  html`<${ObjectView} kind=${kinds.provider} back=${href('providers')} tool=${ProviderTest} />`

export const Role = () => html`<${ObjectView} kind=${kinds.role} back=${ofProject()} />`

export const ProjectGrant = () =>
  html`<${ObjectView} kind=${kinds.projectGrant} back=${ofProject()} />`

export const Domain = () => html`<${ObjectView} kind=${kinds.domain} back=${href('domains')} />`

export const UserGrant = () => {
  const userId = parameter('userId')
  return html`<${ObjectView} kind=${kinds.userGrant} back=${href('users')}>
    <p><a href=${href('user', { userId })}>${texts.user}: <bdi>${userId}</bdi></a></p>
  <//>`
}
