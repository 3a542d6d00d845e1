import * as kinds from '../kinds.js'
import { Section } from '../lists/section.js'
import { html } from '../parts/html.js'
import { ObjectView } from '../parts/object-view.js'
import { href, parameter } from '../state/router.js'
import { texts } from '../texts.js'

const rolesOf = (path: string) => ({
  label: texts.roles,
  kind: kinds.role,
  path: `${path}/roles`,
  items: 'projectRoles',
  columns: ['displayName', 'roleKey', 'group'],
  filters: ['displayName', 'roleKey', 'group'],
  prefix: 'roles.',
})

const grantsOf = (path: string) => ({
  label: texts.projectGrants,
  kind: kinds.projectGrant,
  path: `${path}/grants`,
  items: 'projectGrants',
  columns: ['grantedOrgId', 'roleKeys', 'state'],
  filters: ['grantedOrgId', 'roleKey'],
  prefix: 'grants.',
})

export const Project = () => {
  const projectId = parameter('id')
  const path = `/v1/projects/${encodeURIComponent(projectId)}`
  const [roles, grants] = [rolesOf(path), grantsOf(path)]
  return html`<${ObjectView} kind=${kinds.project} back=${href('projects')}>
    <nav class="links" aria-label=${texts.project}>
      <a href=${href('matrix', { projectId })}>${texts.matrix}</a> <a href=${href('review', { projectId })}>${texts.review}</a>
    </nav>
    <${Section} list=${roles} add=${{ path: roles.path }} />
    <${Section} list=${grants} add=${{ path: grants.path }} />
  <//>`
}
