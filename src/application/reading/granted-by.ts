import type { NotFound } from '../../domain/decider.js'
import { fieldOf, type ObjectRef } from '../../domain/values.js'
import type { ListQuery } from '../../ports/read-model.js'
import type { AdmittedCall } from '../method/context.js'
import { raceAbort } from '../waiting.js'
import type { Query } from './query.js'

/**
 * The refusal with the organization that granted a project with the missing id to the organization of the call, if
 * there is one. It names nobody while the organization has a project of its own with this id, or if the input named
 * another owner. An unavailable read model, and an abort, leave the refusal as it is.
 */
export const withGrantor = async (
  query: Query,
  call: AdmittedCall,
  input: unknown,
  refusal: NotFound,
): Promise<NotFound> => {
  const { orgId } = call
  const projectId = projectIn(refusal.object)
  const owner = fieldOf(input, 'projectOrgId') ?? orgId
  if (projectId === undefined || owner !== orgId) return refusal
  const received: ListQuery<'project_grant'> = {
    type: 'project_grant',
    orgId,
    isReceived: true,
    conditions: [],
    sort: [
      { field: 'projectId', direction: 'asc' },
      { field: 'projectOrgId', direction: 'asc' },
    ],
    after: [projectId, ''],
    limit: 1,
  }
  const grantorOf = async (): Promise<string | undefined> => {
    const { items } = await query<'list', 'project_grant'>(call, {
      method: 'list',
      args: [received],
    })
    const [grant] = items
    if (grant?.projectId !== projectId) return undefined
    const own = { type: 'project', id: projectId } as const
    const found = await query<'get', 'project'>(call, { method: 'get', args: [orgId, own] })
    return found ? undefined : grant.projectOrgId
  }
  try {
    const grantedBy = await raceAbort(grantorOf(), call.signal)
    return grantedBy === undefined ? refusal : { ...refusal, grantedBy }
  } catch {
    return refusal
  }
}

/** The id of the project that the object is, or lies in. */
const projectIn = (object: ObjectRef): string | undefined => {
  switch (object.type) {
    case 'project':
      return object.id
    case 'project_role':
    case 'user_grant':
    case 'role_mapping':
      return object.projectId
    default:
      return undefined
  }
}
