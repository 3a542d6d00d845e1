import type { HistoryQuery, ReadModel } from '../../ports/read-model.js'
import type { Log } from './samples/log.js'

/** All that happened in the organization `acme`. */
export const ALL = { orgId: 'acme', after: 0n, limit: 1000 } as const

/** The places in `log` of the entries found, in the order in which they are found. */
export const found = async (
  model: ReadModel,
  log: Log,
  query: Partial<HistoryQuery>,
): Promise<readonly number[]> => {
  const entries = await model.history({ ...ALL, ...query })
  return entries.map(({ sequence }) =>
    log.events.findIndex(({ position }) => position === sequence),
  )
}

/** Names a provider. */
export const idp = (idpId: string) => ({ type: 'identity_provider', idpId }) as const

/** Names a project. */
export const project = (id: string) => ({ type: 'project', id }) as const

/** Names a role. */
export const role = (projectId: string, roleKey: string) =>
  ({ type: 'project_role', projectId, roleKey }) as const
