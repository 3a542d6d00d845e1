import type { AssignmentRange } from '../../../../domain/kind.js'
import type { Position } from '../../../../ports/event-store.js'
import type { ViewType } from '../../../../ports/read-model.js'
import type {
  Assignment,
  AssignmentStore,
  Ending,
} from '../../../../projections/rows/assignments.js'
import { foldCase } from '../../../../projections/rows/fold-case.js'
import { roleScope } from '../../../../projections/rows/row-key.js'
import type { Dialect } from '../../dialect.js'
import type { Row, Statement } from '../../statement.js'
import type { Shared } from '../stored-rows.js'
import { ASSIGNMENTS } from '../tables.js'
import { endingBatch, rolesOf } from './ending-batch.js'
import { holders } from './holders.js'
import { spellBatch } from './spell-batch.js'

/** The assignments while a batch of events changes them. */
export interface AssignmentBatch extends AssignmentStore {
  /** Adds what a stored grant assigns; other stored assignments can end unread. */
  readonly addStored: (range: AssignmentRange, assigned: readonly StoredAssignment[]) => void
  /** Write the changes; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row, so that their order matters. */
  readonly isOrdered: () => boolean
}

/** An assignment that has not ended, as it is read from the table. */
export type StoredAssignment = readonly [roleKey: string, given: string, expires: number | null]

/** An assignment that begins in the batch, and perhaps ends in it. */
interface Begun {
  readonly assignment: Assignment
  end?: { readonly at: Position; readonly with: ViewType }
}

/** No changes of assignments yet. */
export const assignmentBatch = (dialect: Dialect, shared: Shared): AssignmentBatch => {
  const held = holders<Begun>()
  const begun: Begun[] = []
  const endings = endingBatch(dialect, shared)
  const spells = spellBatch(dialect)

  const end = (ending: Ending): void => {
    const { until, with: type } = ending
    for (const holder of held.within(ending))
      for (const roleKey of rolesOf(ending) ?? holder.open.keys()) {
        const open = holder.open.get(roleKey)
        if (open === undefined) continue
        holder.open.delete(roleKey)
        if (open.begun) open.begun.end = { at: until, with: type }
        else if (ending.userId !== undefined) endings.addOne({ ...ending, roleKey })
      }
    if (ending.userId === undefined) endings.addAll(ending)
  }

  return {
    addStored: (range, assigned) => {
      const { open } = held.of(range)
      for (const [roleKey, given, expires] of assigned)
        open.set(roleKey, {
          given: BigInt(given),
          expiresAt: expires === null ? undefined : new Date(expires),
        })
    },
    // A copy: what is held now is compared after it has ended.
    assigned: (range) => new Map(held.of(range).open),
    begin: (assignment) => {
      const made: Begun = { assignment }
      begun.push(made)
      const { roleKey, given, expiresAt } = assignment
      held.of(assignment).open.set(roleKey, { given, expiresAt, begun: made })
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
