import { durableObjectStore } from '../../../../../src/adapters/cloudflare/index.js'
import { OrgId, ProjectId, UserId } from '../../../../../src/domain/values.js'
import { memoryReadModel, type ReadModel } from '../../../../../src/index.js'
import { demandEqual } from '../../../../../src/laws/law.js'
import {
  userGrantAdded,
  userGrantDeactivated,
  userGrantUpdated,
} from '../../../../../src/laws/read-model/grant-samples.js'
import { type Log, newLog } from '../../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../../src/laws/read-model/object-samples.js'
import { messageOr, type Scenario } from './scenario.js'

const ROLES = 400
const END = '2030-01-02T03:04:05.006Z'
const orgId = OrgId.parse('o'.repeat(64))
const GRANT = {
  userId: UserId.parse('👤'.repeat(200)),
  projectId: ProjectId.parse('p'.repeat(64)),
  projectOrgId: orgId,
}

const numbered = (n: number, character: string): string =>
  `${n}`.padStart(4, '0') + character.repeat(196)

/** The largest grant: its roles have the longest keys and texts, which consist of `character`. */
const logOf = (character: string): Log => {
  const log = newLog()
  log.record(orgId, projectAdded(GRANT.projectId))
  const keys = Array.from({ length: ROLES }, (_, n) => numbered(n, character))
  const text = character.repeat(200)
  for (const key of keys)
    log.record(orgId, roleAdded(GRANT.projectId, key, { displayName: text, group: text }))
  const expiring = keys.map((key) => [key, END] as const)
  log.record(orgId, userGrantAdded(GRANT, expiring))
  log.record(orgId, userGrantUpdated(GRANT, keys))
  return log
}

const reads = (model: ReadModel) => {
  const now = new Date(0)
  return {
    get: () => model.get(orgId, { type: 'user_grant', ...GRANT }),
    history: () => model.history({ orgId, after: 0n, limit: 1000 }),
    access: () => model.access({ orgId, ...GRANT }),
    heldRoles: () => model.heldRoles({ orgId, userId: GRANT.userId, now, limit: 1000 }),
    holders: () => model.holders({ orgId, projectId: GRANT.projectId, now, limit: 1000 }),
  }
}

/** Whether each read answers as a read model in memory does, or why not. */
export const largestGrant =
  (character: string): Scenario =>
  async ({ storage }) => {
    const { store, readModel } = durableObjectStore(storage)
    const models = [readModel, memoryReadModel()] as const
    const { events } = logOf(character)
    // History is read from the log.
    await store.restore(events)
    for (const model of models) await model.apply(0n, events)
    const [found, expected] = models.map(reads)
    const answers: [string, unknown][] = []
    for (const [name, read] of Object.entries(found ?? {})) {
      const known = await expected?.[name as keyof typeof expected]()
      const compared = read().then((answer) => demandEqual(name, answer, known))
      answers.push([name, await messageOr(compared.then(() => 'equal'))])
    }
    return Object.fromEntries(answers)
  }

/** More events at once than the same statements apply, about objects with the longest keys. */
export const largestBatch: Scenario = async ({ storage }) => {
  const { readModel } = durableObjectStore(storage)
  const log = newLog()
  log.record(orgId, projectAdded(GRANT.projectId))
  const users = Array.from({ length: 2000 }, (_, n) => numbered(n, '\u0001'))
  for (const userId of users) log.record(orgId, userGrantAdded({ ...GRANT, userId }, []))
  const added = await readModel.apply(0n, log.events)
  const from = await readModel.checkpoint()
  for (const userId of users) log.record(orgId, userGrantDeactivated({ ...GRANT, userId }))
  const changed = await readModel.apply(from, log.above(from))
  const again = await readModel.apply(from, log.above(from))
  const sort = [{ field: 'userId', direction: 'asc' } as const]
  const inactive = {
    field: 'state',
    operator: 'equals',
    value: 'inactive',
    ignoreCase: false,
  } as const
  const query = { type: 'user_grant', orgId, conditions: [inactive], sort, limit: 10 } as const
  const { totalSize } = await readModel.list(query)
  const isAtEnd = (await readModel.checkpoint()) === log.events.at(-1)?.position
  return { added, changed, again, totalSize, isAtEnd }
}
