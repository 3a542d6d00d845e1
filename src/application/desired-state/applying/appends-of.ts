import { exists } from '../../../domain/decider.js'
import { projectGrants } from '../../../domain/project-grant/aggregate.js'

import { MAX_WRITES } from '../../../ports/event-store.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Runtime } from '../../runtime.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { givesRoles } from '../plan/planned-event.js'
import type { PendingChange } from '../planning/pending-change.js'

/** The changes of one append, and one that must be up to date without being written. */
export interface Appendable {
  readonly writes: readonly PendingChange[]
  readonly guard?: PendingChange
}

/** Writes of an append beside that of the project, which is written first and guards what lies in it. */
const MOST = MAX_WRITES - 1

/**
 * The appends of one unit. As many role changes to an append as it takes; then as many grants, which are decided on
 * roles that are recorded.
 */
export const appendsOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  [head, ...rest]: readonly PendingChange[],
): Promise<readonly Appendable[]> => {
  if (!head) return []
  const changed = rest.filter(hasEvents)
  const grants = changed.filter(isGrant)
  const others = changed.filter((pending) => !isGrant(pending))
  const appends: Appendable[] = []
  if (hasEvents(head)) appends.push({ writes: [head, ...others.splice(0, MOST)] })
  while (others.length > 0) appends.push({ writes: others.splice(0, MOST), guard: head })
  for (const writes of await inAppends(runtime, call, grants)) appends.push({ writes, guard: head })
  return appends
}

const hasEvents = ({ change }: PendingChange): boolean => change.events.length > 0

const isGrant = ({ change }: PendingChange): boolean => change.object.type === 'project_grant'

/** Grants that are read at the same time. */
const CONCURRENCY = 50

/** Fills appends with grants and the roles that guard them: one grant always fits. */
const inAppends = async (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  grants: readonly PendingChange[],
): Promise<readonly (readonly PendingChange[])[]> => {
  const appends: PendingChange[][] = []
  let last: PendingChange[] = []
  let guards = new Set<string>()
  for (let from = 0; from < grants.length; from += CONCURRENCY) {
    const some = grants.slice(from, from + CONCURRENCY)
    const guarding = await Promise.all(
      some.map(({ change }) => rolesGuarding(runtime, orgId, change)),
    )
    for (const [index, pending] of some.entries()) {
      const own = guarding[index] ?? []
      const added = own.filter((roleKey) => !guards.has(roleKey))
      if (last.length === 0 || last.length + 1 + guards.size + added.length > MOST) {
        last = []
        guards = new Set()
        appends.push(last)
      }
      last.push(pending)
      for (const roleKey of own) guards.add(roleKey)
    }
  }
  return appends
}

/**
 * Keys of the roles whose streams guard a grant: those that it names, and those that are recorded of it, dead ones
 * included. A grant that others change meanwhile is out of date, and is not recorded.
 */
const rolesGuarding = async (
  { states }: Runtime,
  orgId: string,
  { object, events }: PlannedChange,
): Promise<readonly string[]> => {
  const [event] = events.filter(givesRoles)
  if (!event || object.type !== 'project_grant') return []
  const { state } = await states.readLatest(projectGrants, orgId, event.data)
  const recorded = exists(state) ? state.roles.map(({ roleKey }) => roleKey) : []
  return [...new Set<string>([...event.data.roleKeys, ...recorded])]
}
