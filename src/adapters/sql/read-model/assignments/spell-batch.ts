import type { AssignmentRange } from '../../../../domain/kind.js'
import type { Position } from '../../../../ports/event-store.js'
import type { AssignmentStore } from '../../../../projections/rows/assignments.js'
import { roleScope } from '../../../../projections/rows/row-key.js'
import type { Dialect } from '../../dialect.js'
import type { Row, Statement } from '../../statement.js'
import { SPELLS } from '../tables.js'

/** A spell that begins in a batch, and perhaps ends in it. */
interface Spell {
  readonly of: Row
  readonly from: Position
  until?: Position
}

interface SpellBatch extends Pick<AssignmentStore, 'pause' | 'resume'> {
  /** Change no row twice. */
  readonly statements: () => Iterable<Statement>
}

/** Collects the spells of being inactive that begin and end in a batch of events. */
export const spellBatch = (dialect: Dialect): SpellBatch => {
  const begun: Spell[] = []
  /** By what is inactive. */
  const open = new Map<string, Spell[]>()
  /** The ends of stored spells, by what is active again. */
  const ended = new Map<string, Row>()

  const named = ({ projectOrgId, projectId, orgId = '', userId = '' }: AssignmentRange): Row => [
    roleScope(projectOrgId, projectId),
    orgId,
    userId,
  ]

  return {
    pause: (range, from) => {
      const spell: Spell = { of: named(range), from }
      begun.push(spell)
      const key = JSON.stringify(spell.of)
      open.set(key, [...(open.get(key) ?? []), spell])
    },
    resume: (range, until) => {
      const of = named(range)
      const key = JSON.stringify(of)
      for (const spell of open.get(key) ?? []) spell.until = until
      open.delete(key)
      if (!ended.has(key)) ended.set(key, [...of, until])
    },
    *statements() {
      const columns = { by: ['scope', 'org', 'user_id'], set: ['end_at'] }
      yield* dialect.fill(SPELLS, columns, [...ended.values()])
      yield* dialect.insert(SPELLS, begun, ({ of, from, until = null }) => [...of, from, until])
    },
  }
}
