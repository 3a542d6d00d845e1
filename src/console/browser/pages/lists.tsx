import {
  domainService,
  identityProviderService,
  projectGrantService,
  projectService,
  roleMappingService,
  userGrantService,
} from '../../../transport/wire.js'
import { Section } from '../list.js'
import * as types from '../object-types.js'
import { usePermission } from '../permissions.js'
import type { ListSpec } from '../rows.js'
import { texts } from '../texts.js'

export const PROVIDERS: ListSpec = {
  label: texts.providers,
  type: types.provider,
  operation: identityProviderService.listIdentityProviders,
  columns: ['name', 'issuer', 'clientId', 'state', 'changeDate'],
  filters: ['name', 'issuer', 'clientId', 'idpId'],
}
export const PROJECTS: ListSpec = {
  label: texts.projects,
  type: types.project,
  operation: projectService.listProjects,
  columns: ['name', 'id', 'state', 'changeDate'],
  filters: ['name', 'id'],
}
const RECEIVED: ListSpec = {
  label: texts.received,
  type: types.projectGrant,
  operation: projectGrantService.listReceivedProjectGrants,
  columns: ['projectId', 'projectOrgId', 'roleKeys', 'state'],
  filters: ['roleKey'],
  prefix: 'received.',
  empty: texts.emptyReceived,
  isForeign: true,
}
export const DOMAINS: ListSpec = {
  label: texts.domains,
  type: types.domain,
  operation: domainService.listDomains,
  columns: ['domain', 'state', 'idpId', 'changeDate'],
  filters: ['domain', 'idpId'],
}
export const USERS: ListSpec = {
  label: texts.userGrants,
  type: types.userGrant,
  operation: userGrantService.listUserGrants,
  columns: ['userId', 'projectId', 'roles', 'state', 'changeDate'],
  filters: ['userId', 'projectId', 'projectOrgId', 'roleKey'],
}

const MAPPINGS: ListSpec = {
  label: texts.mappings,
  type: types.roleMapping,
  operation: roleMappingService.listRoleMappings,
  columns: ['group', 'idpId', 'projectId', 'roleKeys', 'changeDate'],
  filters: ['group', 'idpId', 'projectId', 'roleKey'],
  empty: texts.emptyMappings,
}

const page = (title: string, list: ListSpec) => () => (
  <article>
    <Section title={title} list={list} add={{}} />
  </article>
)

/** What was given to users by hand, as it is recorded: inactive and expired roles too. */
export const Grants = () => (
  <article>
    <Section title={texts.userGrants} list={USERS} />
  </article>
)
export const Providers = page(texts.providers, PROVIDERS)
export const Mappings = page(texts.mappings, MAPPINGS)
export const Domains = page(texts.domains, DOMAINS)

export const Projects = () => {
  const maySeeReceived = usePermission('project.grant.read')
  return (
    <article>
      <Section title={texts.projects} list={PROJECTS} add={{}} />
      {maySeeReceived && <Section list={RECEIVED} />}
    </article>
  )
}
