import type { WebhookEndpoint } from 'claviger/webhooks'

/** How an endpoint is while it is dead for good. */
export type Death = '500' | 'hangs' | 'closes'

/** An endpoint of the storm, its secrets and its server aside. */
export interface StormEndpoint extends Pick<WebhookEndpoint, 'orgId' | 'types'> {
  readonly id: string
  readonly death?: Death
}

export const orgName = (n: number): string => `org-${n}`

/** Ten endpoints, of which three are dead. */
export const ENDPOINTS: readonly StormEndpoint[] = [
  { id: 'refusing', death: '500' },
  { id: 'hanging', death: 'hangs' },
  { id: 'closing', death: 'closes' },
  { id: 'all-1' },
  { id: 'all-2' },
  { id: 'roles-removed', types: ['project_role.removed'] },
  { id: 'projects', types: ['project.added', 'project.updated'] },
  { id: 'org-1', orgId: orgName(1) },
  { id: 'org-2', orgId: orgName(2) },
  { id: 'org-3-roles', orgId: orgName(3), types: ['project_role.added'] },
]

/** The endpoints as the host answers them. */
export const endpointsAt = (port: number, secrets: readonly string[]): readonly WebhookEndpoint[] =>
  ENDPOINTS.map(({ id, orgId, types }) => ({
    id,
    url: `http://127.0.0.1:${port}/${id}`,
    secrets,
    after: 0n,
    types,
    ...(orgId === undefined ? { organizations: 'all' } : { orgId }),
  }))
