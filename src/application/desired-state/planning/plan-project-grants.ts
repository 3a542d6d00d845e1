import { err, ok, type Result } from 'neverthrow'
import type { NotFound } from '../../../domain/decider.js'
import { projectGrant, sameRoles } from '../../../domain/project-grant/decider.js'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { newEvent } from '../../recording/stream-state.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedGrant } from '../declared/desired-project.js'
import { type PendingChange, superseded } from './pending-change.js'
import { type DeclaredProject, planContents, type Rows, rowsIn } from './plan-contents.js'

/** The roles that declared grants may name: those that are there, and what is planned of them. */
interface PlannedRoles {
  /** With all that a declared grant names. */
  readonly rows: Rows<'project_role'>
  readonly changes: readonly PendingChange[]
}

/**
 * The changes of the grants of a project: first the declared grants, then the removals. Refused: a grant to the
 * owner, and a role that the project will not have. A role that a newer version removed makes its grants superseded.
 */
export const planProjectGrants = async (
  runtime: Runtime,
  call: AdmittedCall,
  { desired, index, roles, ...options }: DeclaredProject & { readonly roles: PlannedRoles },
): Promise<Result<readonly PendingChange[], NotFound | InvalidArgument>> => {
  const { orgId } = call
  const { id: projectId, grants } = desired
  if (grants === undefined) return ok([])
  const own = grants.findIndex(({ grantedOrgId }) => grantedOrgId === orgId)
  if (own >= 0)
    return err(
      invalid(
        `projects[${index}].grants[${own}].grantedOrgId`,
        'must not be the organization that owns the project',
      ),
    )
  const type = 'project_grant'
  const { isNew, prune } = options
  const declared = new Map<string, ParsedGrant>(grants.map((grant) => [grant.grantedOrgId, grant]))
  const isWanted = (key: string) => prune || declared.has(key)
  const { isThere, isRemoved, isSuperseded } = afterwards(roles)
  const planned = await planContents(runtime, call, {
    ...options,
    type,
    projectId,
    declared,
    rows: isNew ? new Map() : await rowsIn(runtime, { type, orgId, projectId }, isWanted),
    change: (grant, row) => {
      // A role that is removed before the grant is recorded needs no event of the grant.
      const held = row?.roleKeys.filter((roleKey) => !isRemoved(roleKey))
      if (held && sameRoles(held, grant.roleKeys)) return []
      const given = {
        type: `project_grant.${row ? 'updated' : 'added'}`,
        data: { projectId, ...grant },
      }
      return [newEvent(projectGrant, given)]
    },
    remove: ({ grantedOrgId }) => [
      newEvent(projectGrant, {
        type: 'project_grant.removed',
        data: { projectId, grantedOrgId },
      }),
    ],
  })

  const changes: PendingChange[] = []
  for (const [place, pending] of planned.entries()) {
    const { action, object } = pending.change
    const named = action === 'superseded' ? [] : (grants[place]?.roleKeys ?? [])
    const missing = named.filter((roleKey) => !isThere(roleKey))
    const absent = missing.find((roleKey) => !isSuperseded(roleKey))
    if (absent !== undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey: absent } })
    changes.push(missing.length > 0 ? superseded({ ...pending, object }) : pending)
  }
  return ok(changes)
}

/** Whether a role is there after the changes of roles, is removed by them, or is left to a newer version. */
const afterwards = ({ rows, changes }: PlannedRoles) => {
  const planned = new Map(
    changes.flatMap(({ change }) =>
      'roleKey' in change.object ? [[change.object.roleKey, change] as const] : [],
    ),
  )
  const isSuperseded = (roleKey: string) => planned.get(roleKey)?.action === 'superseded'
  const isRemoved = (roleKey: string) => planned.get(roleKey)?.action === 'remove'
  const isThere = (roleKey: string) => {
    const change = planned.get(roleKey)
    if (!change || isSuperseded(roleKey)) return rows.has(roleKey)
    return !isRemoved(roleKey)
  }
  return { isThere, isRemoved, isSuperseded }
}
