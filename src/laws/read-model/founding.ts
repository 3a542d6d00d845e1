import type { AnyEvent } from '../../domain/aggregates.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrantStream } from '../../domain/project-grant/aggregate.js'
import { projectRoleStream } from '../../domain/project-role/aggregate.js'
import { projectGrantAdded, projectGrantUpdated } from './grant-samples.js'
import { type Log, permittedIn } from './harness.js'
import { idpAdded, projectAdded, roleAdded } from './object-samples.js'

/**
 * Records an event, after the providers, projects, roles and grants of projects that it needs and that the log has never
 * had.
 */
export const found = (log: Log, orgId: string, event: AnyEvent): void => {
  const { data } = event
  if ('idpId' in data && data.idpId && !event.type.startsWith('identity_provider.'))
    if (!log.rows.has(identityProviders.stream(orgId, { idpId: data.idpId })))
      log.record(orgId, idpAdded(data.idpId))
  if ('projectId' in data) {
    const owner = 'projectOrgId' in data ? data.projectOrgId : orgId
    const { projectId } = data
    if (!log.rows.has(projects.stream(owner, { id: projectId })))
      log.record(owner, projectAdded(projectId))
    const roleKeys = 'roles' in data ? data.roles.map(({ roleKey }) => roleKey) : []
    for (const roleKey of roleKeys)
      if (!log.rows.has(projectRoleStream(owner, projectId, roleKey)))
        log.record(owner, roleAdded(projectId, roleKey))
    if (owner !== orgId && roleKeys.length > 0) permit(log, { owner, projectId, orgId, roleKeys })
  }
  log.record(orgId, event)
}

/** Widens the grant of a project so that the organization may give the roles. */
const permit = (
  log: Log,
  {
    owner,
    projectId,
    orgId,
    roleKeys,
  }: Record<'owner' | 'projectId' | 'orgId', string> & { readonly roleKeys: readonly string[] },
): void => {
  const grant = log.rows.get(projectGrantStream(owner, projectId, orgId))
  const held = permittedIn(grant).map(({ roleKey }) => roleKey)
  if (roleKeys.every((roleKey) => held.includes(roleKey))) return
  const all = [...new Set([...held, ...roleKeys])]
  log.record(
    owner,
    grant ? projectGrantUpdated(projectId, orgId, all) : projectGrantAdded(projectId, orgId, all),
  )
}
