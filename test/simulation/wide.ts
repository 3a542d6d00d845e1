import type { Chance } from './chance.js'
import type { Command } from './model.js'
import type { System } from './system.js'
import type { Operation } from './workload.js'

/** Whether the operations of a seed have resources, ends, the past, desired states, and callers who give up. */
export const isWide = (seed: number): boolean => seed % 3 === 1

/** An operation with some of what few callers ask. */
export const widened = (
  chance: Chance,
  operation: Operation,
  { hasClock, hasRows }: Pick<System, 'hasClock' | 'hasRows'>,
): Operation => {
  const { command, isRead, isDryRun = false } = operation
  const { method } = command
  const isOnProject = /^project/.test(method)
  if (isOnProject && !isRead && chance.happens(0.25)) return desiredBy(chance, operation)
  const isAccess = method.startsWith('access.')
  const mayHaveResource = isAccess || /^(userGrants|roleMappings)\./.test(method)
  const isExplained = method === 'access.check' && !operation.isLive && chance.happens(0.3)
  const isPast = hasClock && isAccess && !operation.isLive && chance.happens(0.3)
  const mayEnd = /^userGrants\.(add|update|addRoles)$/.test(method)
  const isEnding = hasClock && mayEnd && chance.happens(0.4)
  const mayGiveUp = !operation.isLive && !/^(setupLinks|domains.route)/.test(method)
  const asked: Command = {
    ...command,
    ...(isExplained && { method: 'access.explain' }),
    ...(mayHaveResource && chance.happens(0.35) && { resource: 'r' }),
  }
  const isContested = operation.isExpecting && chance.happens(0.7)
  return {
    ...operation,
    command: asked,
    ...(isContested && { rival: rivalOf({ ...operation, command: asked }) }),
    ...(isPast && { past: chance.random(), consistency: 'strong' as const }),
    ...(isEnding && { lifetime: 300 + chance.below(2_000) }),
    ...(mayGiveUp && chance.happens(0.1) && { patience: chance.random() * 12 }),
    ...(hasRows && !isRead && !isDryRun && chance.happens(0.4) && { hasRow: true }),
  }
}

/** A write that does the opposite, or the same with other roles. */
const rivalOf = ({ id, command, consistency }: Operation): Operation => {
  const { method, roleKeys = [] } = command
  const opposite = method.endsWith('.deactivate') ? '.reactivate' : '.deactivate'
  const others = ['a', 'b', 'c'].filter((key) => !roleKeys.includes(key))
  const rival = { ...command, method: method.replace(/\.\w+activate$/, opposite), roleKeys: others }
  return { ...{ id: `${id}rival`, isRead: false, consistency }, command: rival }
}

/** A desired state in place of a write. */
const desiredBy = (chance: Chance, operation: Operation): Operation => {
  const { id, consistency, isDryRun } = operation
  const roleKeys = ['a', 'b', 'c'].filter(() => chance.happens(0.7))
  const granted = roleKeys.filter(() => chance.happens(0.7))
  const desired = { roleKeys, granted, protect: chance.happens(0.4) }
  return {
    ...{ id, consistency, isRead: false },
    command: { method: 'desired.apply', org: 'acme', projectId: 'p', desired },
    ...(isDryRun ? { isDryRun } : chance.happens(0.4) && { isPlanned: true }),
    ...(chance.happens(0.1) && { patience: chance.random() * 20 }),
  }
}

/** Every organization has keys of its own, so the same ones are used by several. */
export const withKeys = (operations: readonly Operation[]): readonly Operation[] => {
  const used = new Map<string, number>()
  return operations.map((operation) => {
    if (operation.idempotencyKey === undefined) return operation
    const { org } = operation.command
    const count = used.get(org) ?? 0
    used.set(org, count + 1)
    return { ...operation, idempotencyKey: `key${count}` }
  })
}
