import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { judgeAccess } from '../../../src/application/grant-rules/judge-access.js'
import { memoryReadModel, type ReadModel } from '../../../src/index.js'
import { presentAccess } from '../../../src/projections/present-access.js'
import { readEvents } from '../../../src/projections/read-events.js'
import { keyOfHolder } from '../../../src/projections/row-order.js'
import { smallModel } from './model.js'
import { logOfWorlds, NOW, RESOURCE, worldOf } from './worlds.js'

const BATCH = 1_000

/** Each role that counts, as a read model lists it: `17 other a same group`. */
const listed = async (model: ReadModel): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (let after: ReturnType<typeof keyOfHolder> | undefined; ; ) {
    const query = { orgId: 'own', now: NOW, limit: 1_000, ...(after && { after }) }
    const { items, hasMore } = await model.holders(query)
    for (const { projectId, orgId, roleKey, resource = 'none', via } of items)
      found.add(`${projectId} ${orgId} ${roleKey} ${resource} ${via === 'grant' ? via : 'group'}`)
    const last = items.at(-1)
    if (!hasMore || !last) return found
    after = keyOfHolder(last)
  }
}

/** Which roles of a user count for the whole project, or on {@link RESOURCE}. */
interface Question {
  readonly number: number
  readonly orgId: 'own' | 'other'
  readonly resource: string | undefined
}

const questionsOf = (numbers: readonly number[]): readonly Question[] =>
  numbers.flatMap((number) =>
    (['own', 'other'] as const).flatMap((orgId) =>
      [undefined, RESOURCE].map((resource) => ({ number, orgId, resource })),
    ),
  )

const ROLES = ['a', 'b'] as const

const checkOf = ({ number, orgId, resource }: Question, roleKey: string): string =>
  `${number} ${orgId} ${roleKey} on ${resource ?? 'the project'}`

/** The checks that are allowed when the roles in `counting` count. */
const allowedBy = (counting: ReadonlySet<string>, questions: readonly Question[]) => {
  const allowed = new Set<string>()
  for (const question of questions)
    for (const roleKey of ROLES)
      for (const resource of ['none', question.resource])
        for (const way of ['grant', 'group'])
          if (counting.has(`${question.number} ${question.orgId} ${roleKey} ${resource} ${way}`))
            allowed.add(checkOf(question, roleKey))
  return allowed
}

const queryOf = ({ number, orgId, resource }: Question) => ({
  ...{ orgId, userId: 'u', projectOrgId: 'own', projectId: `${number}` },
  ...(resource !== undefined && { resource }),
})

/** The first answer about worlds that the library gives and the model does not, or the other way; undefined if all agree. */
export const firstDifference = async (numbers: readonly number[]): Promise<string | undefined> => {
  for (let from = 0; from < numbers.length; from += TOGETHER) {
    const found = await differenceWithin(numbers.slice(from, from + TOGETHER))
    if (found) return found
  }
  return undefined
}

/** Worlds in one log. They share two organizations, whose providers the checks of SQLite and of live checks walk. */
const TOGETHER = 25

const differenceWithin = async (numbers: readonly number[]): Promise<string | undefined> => {
  const counting = smallModel(numbers)
  const questions = questionsOf(numbers)
  const allowed = allowedBy(counting, questions)
  const log = logOfWorlds(numbers)
  await using sqlite = openSqlite(':memory:')
  for (const model of [memoryReadModel(), sqlite.readModel]) {
    for (let from = 0; from < log.length; from += BATCH)
      await model.apply(log[from - 1]?.position ?? 0n, log.slice(from, from + BATCH))
    const checked = new Set<string>()
    for (const question of questions) {
      const isOwn = question.orgId === 'own'
      const found = await model.access(queryOf(question))
      for (const roleKey of judgeAccess(found, { isOwn, now: NOW }).roleKeys)
        checked.add(checkOf(question, roleKey))
    }
    const different =
      difference(`${model.name} lists`, await listed(model), counting) ??
      difference(`${model.name} allows`, checked, allowed)
    if (different) return different
  }
  const live = presentAccess()
  for (const event of readEvents(log)) live.apply(event)
  const checked = questions.flatMap((question) =>
    ROLES.filter((roleKey) => live.hasRole(queryOf(question), { roleKey }, { now: NOW })).map(
      (roleKey) => checkOf(question, roleKey),
    ),
  )
  return difference('A live check allows', new Set(checked), allowed)
}

const difference = (
  name: string,
  found: ReadonlySet<string>,
  expected: ReadonlySet<string>,
): string | undefined => {
  const more = [...found].find((each) => !expected.has(each))
  const less = [...expected].find((each) => !found.has(each))
  const each = more ?? less
  if (each === undefined) return undefined
  const world = JSON.stringify(worldOf(Number(each.split(' ')[0])))
  return `${name} ${more === undefined ? 'not ' : ''}${each} in ${world}`
}
