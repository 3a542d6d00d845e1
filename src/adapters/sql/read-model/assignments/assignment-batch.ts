import type { AssignmentRange } from '../../../../domain/kind.js'
import type { Position } from '../../../../ports/event-store.js'
import type { ViewType } from '../../../../ports/read-model.js'
import { kindOf } from '../../../../projections/events/kind-of.js'
import type {
  Assignment,
  AssignmentStore,
  Ending,
} from '../../../../projections/rows/assignments.js'
import { foldCase } from '../../../../projections/rows/fold-case.js'
import { roleScope } from '../../../../projections/rows/row-key.js'
import type { Dialect } from '../../dialect.js'
import { find, type Integer, type Row, type Statement, type Steps } from '../../statement.js'
import type { KeyedEvent } from '../stored-entries.js'
import type { Shared } from '../stored-rows.js'
import { ASSIGNMENTS } from '../tables.js'
import { HOLDER_COLUMNS } from './columns.js'
import { endingBatch, rolesOf } from './ending-batch.js'
import { type Holder, holders } from './holders.js'
import { spellBatch } from './spell-batch.js'

/** The assignments while a batch of events changes them. */
export interface AssignmentBatch extends AssignmentStore {
  /** Write the changes; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row, so that their order matters. */
  readonly isOrdered: () => boolean
}

/** An assignment that begins in the batch, and perhaps ends in it. */
interface Begun {
  readonly assignment: Assignment
  end?: { readonly at: Position; readonly with: ViewType }
}

/** Reads the assignments of the grants that `events` change. Other stored ones can end unread. */
export function* assignmentBatch(
  dialect: Dialect,
  shared: Shared,
  events: readonly KeyedEvent[],
): Steps<AssignmentBatch> {
  const held = holders<Begun>()
  const begun: Begun[] = []
  const endings = endingBatch(dialect, shared)
  const spells = spellBatch(dialect)

  yield* load(dialect, shared, wantedOf(events, held.of))

  const end = (ending: Ending): void => {
    const { until, with: type } = ending
    for (const holder of held.within(ending))
      for (const roleKey of rolesOf(ending) ?? holder.open.keys()) {
        const open = holder.open.get(roleKey)
        if (open === undefined) continue
        holder.open.delete(roleKey)
        for (const each of open.begun) each.end = { at: until, with: type }
        if (open.isStored && ending.userId !== undefined) endings.addOne({ ...ending, roleKey })
      }
    if (ending.userId === undefined) endings.addAll(ending)
  }

  return {
    // A copy: what is held now is compared after it has ended.
    assigned: (range) => new Map(held.of(range).open),
    begin: (assignment) => {
      const made: Begun = { assignment }
      begun.push(made)
      const { roleKey, given, expiresAt } = assignment
      const { open } = held.of(assignment)
      const { isStored = false, begun: earlier = [] } = open.get(roleKey) ?? {}
      open.set(roleKey, { given, expiresAt, isStored, begun: [...earlier, made] })
    },
    end,
    pause: spells.pause,
    resume: spells.resume,
    isOrdered: endings.isOrdered,
    *statements() {
      yield* endings.statements()
      yield* dialect.insert(ASSIGNMENTS, begun, (each) => encode(each, shared))
      yield* spells.statements()
    },
  }
}

/** Before the first event of a grant nothing is assigned by it. */
const wantedOf = (
  events: readonly KeyedEvent[],
  holderOf: (range: AssignmentRange) => Holder<Begun>,
): readonly Holder<Begun>[] => {
  const wanted = new Set<Holder<Begun>>()
  for (const { event } of events) {
    if (event.version === 1) continue
    const { assigns, covers } = kindOf(event.type)
    const range = assigns && covers(event.data, event.metadata.resourceOwner)
    if (range) wanted.add(holderOf(range))
  }
  return [...wanted]
}

function* load(dialect: Dialect, shared: Shared, wanted: readonly Holder<Begun>[]): Steps<void> {
  if (wanted.length === 0) return
  const { sql, parameters } = dialect.sought(
    HOLDER_COLUMNS,
    wanted.map(({ scope, orgId, userId }) => [shared.numberOf(scope), orgId, userId]),
  )
  const found = yield* find<readonly [nth: Integer, string, given: Integer, expires: Integer]>({
    sql: `SELECT nth, role, given, expires_at FROM ${sql}
      JOIN ${dialect.table(ASSIGNMENTS)} USING (scope, org, user_id) WHERE end_at IS NULL`,
    parameters,
  })
  for (const [nth, roleKey, given, expires] of found)
    wanted[Number(nth) - 1]?.open.set(roleKey, {
      given: BigInt(given ?? 0),
      expiresAt: expires === null ? undefined : new Date(Number(expires)),
      isStored: true,
      begun: [],
    })
}

const encode = ({ assignment, end }: Begun, shared: Shared): Row => {
  const { projectOrgId, projectId, orgId, userId = '', roleKey, expiresAt } = assignment
  return [
    shared.numberOf(roleScope(projectOrgId, projectId)),
    orgId,
    userId,
    roleKey,
    foldCase(roleKey),
    expiresAt?.getTime() ?? null,
    assignment.given,
    assignment.from,
    end?.at ?? null,
    end?.with ?? null,
  ]
}
