import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../../src/adapters/sql/dialect.js'
import {
  accessStatement,
  heldRolesStatement,
  holdersStatement,
} from '../../../../src/adapters/sql/read-model/access.js'
import { removalOf } from '../../../../src/adapters/sql/read-model/changes.js'
import { affectedStatement } from '../../../../src/adapters/sql/read-model/counting.js'
import { historyStatement } from '../../../../src/adapters/sql/read-model/history.js'
import { listStatements } from '../../../../src/adapters/sql/read-model/read-model.js'
import {
  ASSIGNMENTS,
  CHECKPOINT,
  HISTORY,
  NAMES,
  OBJECTS,
  READ_MODEL,
  SUSPENSIONS,
} from '../../../../src/adapters/sql/read-model/tables.js'
import { sqliteDialect } from '../../../../src/adapters/sql/sqlite/dialect.js'
import { LIMITS } from '../../../../src/adapters/sqlite/connection.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import {
  ACCESS,
  AFFECTED,
  ALL_HOLDERS,
  applyManyGrants,
  GRANT_LISTS,
  HELD_ROLES,
  HOLDERS,
} from '../../sql/read-model/many-grants.js'
import { temporaryFile } from '../temporary-file.js'

const DIALECT = sqliteDialect(LIMITS)

const path = temporaryFile()
const { readModel, close } = openSqlite(path)
const database = new DatabaseSync(path)

beforeAll(() => applyManyGrants(readModel))

afterAll(async () => {
  database.close()
  await close()
})

/** How SQLite goes about `statement`, step by step. */
const stepsOf = ({ sql, parameters }: Statement): readonly string[] =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map(({ detail }) => `${detail}`)

/** Steps that read a whole table, or that begin with it where several tables are named. */
const scansIn = (statement: Statement): readonly string[] =>
  stepsOf(statement).filter((step) =>
    /^SCAN (?!CONSTANT|moment|page|counted|json_each|listed)/.test(step),
  )

const byIndex = (statement: Statement, table: string): readonly string[] =>
  stepsOf(statement).filter((step) => step.includes(`${table}_`) || step.includes(`_${table}`))

describe('Among 20,000 grants in 100 organizations', () => {
  test('there are so many.', () => {
    const count = `SELECT count(*) AS n FROM ${OBJECTS.user_grant.name}`
    expect(database.prepare(count).get()).toEqual({ n: 20_000 })
  })

  test.each(GRANT_LISTS)('a list by %s reads no table as a whole.', (by, query) => {
    for (const statement of [
      listStatements(DIALECT, query).count,
      listStatements(DIALECT, query).page,
    ]) {
      expect(scansIn(statement)).toEqual([])
      const [first] = stepsOf(statement).filter((step) => step.includes(OBJECTS[query.type].name))
      const column = { user: 'userId', project: 'projectId', 'user and role': 'userId' }[by]
      if (column) expect(first).toContain(`(scope=? AND folded_${column}=?)`)
      else expect(first).toMatch(query.isReceived ? /\(key=\?\)$/ : /\(scope=\?\)$/)
    }
  })

  test('pages in the order of the key need no sorting, also by role, user or project.', () => {
    for (const [, query] of GRANT_LISTS)
      if (!query.isReceived)
        expect(stepsOf(listStatements(DIALECT, query).page).join()).not.toContain('TEMP B-TREE')
  })

  test('the roles of a grant are looked up.', () => {
    for (const [by, query] of GRANT_LISTS) {
      const found = byIndex(listStatements(DIALECT, query).page, ASSIGNMENTS.name)
      expect(found.length, by).toBeGreaterThan(0)
      for (const step of found) expect(step).toMatch(/\(user_id=\? AND org=\? AND scope=\?/)
    }
  })

  test('a check of access looks everything up.', () => {
    const statement = accessStatement(DIALECT, ACCESS)
    expect(scansIn(statement)).toEqual([])
    expect(byIndex(statement, ASSIGNMENTS.name)).toEqual([
      expect.stringMatching(/^SEARCH last .*\(scope=\? AND role=\? AND org=\? AND user_id=\?\)$/),
      expect.stringMatching(/^SEARCH last .*\(scope=\? AND role=\? AND org=\? AND user_id=\?\)$/),
    ])
  })

  test('a check of access sorts nothing: earlier assignments of a role are not read.', () => {
    const sorting = stepsOf(accessStatement(DIALECT, ACCESS)).filter((step) => /B-TREE/.test(step))
    expect(sorting).toEqual([])
  })

  test.each(HELD_ROLES)('the roles of one user are looked up, with %o.', (query) => {
    const statement = heldRolesStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    expect(byIndex(statement, ASSIGNMENTS.name)).toEqual([
      expect.stringMatching(/^SEARCH held .*\(user_id=\? AND org=\?\)$/),
    ])
    // Of each way.
    expect(byIndex(statement, SUSPENSIONS.name)).toHaveLength(6)
  })

  test.each(HOLDERS)('the holders of roles are found in order by %s.', (columns, query) => {
    const statement = holdersStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    const [found] = byIndex(statement, ASSIGNMENTS.name)
    expect(found?.endsWith(`(${columns})`), found).toBe(true)
    // Only the pages of the two ways are sorted together, and again beside the positions.
    const sorts = stepsOf(statement).filter((step) => step.includes('TEMP B-TREE'))
    expect(sorts).toHaveLength(2)
  })

  test.each(AFFECTED)('the roles that a change concerns are found by %s.', (columns, query) => {
    const statement = affectedStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    const found = byIndex(statement, ASSIGNMENTS.name).filter((step) =>
      step.startsWith('SEARCH held '),
    )
    expect(found).toHaveLength(2)
    for (const step of found) expect(step.endsWith(`(${columns})`), step).toBe(true)
  })

  test.each(ALL_HOLDERS)(
    'the holders of roles of all projects, or one user, are found by %s.',
    (columns, query) => {
      const statement = holdersStatement(DIALECT, query)
      expect(scansIn(statement)).toEqual([])
      const [found] = byIndex(statement, ASSIGNMENTS.name)
      expect(found?.endsWith(`(${columns})`), found).toBe(true)
    },
  )

  test('the history of the grants of a user is found by the grants.', () => {
    const query = { orgId: 'org-7', user: 'user-7', after: 0n, limit: 10 }
    const statement = historyStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    const [found] = stepsOf(statement).filter((step) => step.includes(HISTORY.name))
    expect(found).toMatch(/\(scope=\? AND key=\?/)
  })

  test('the removal of a project finds its grants in all organizations.', () => {
    const [removal] = byIndex(
      removalOf(DIALECT, 'user_grant', ['owner+project-0']),
      OBJECTS.user_grant.name,
    )
    expect(removal).toMatch(/\(project_scope=\?\)$/)
  })

  test.each([
    ['scope', ['scope']],
    ['role', ['scope', 'role']],
    ['organization', ['scope', 'org']],
    ['role and organization', ['scope', 'role', 'org']],
    ['user', ['scope', 'role', 'org', 'user_id']],
  ])('the end of assignments of one %s is looked up.', (_, by) => {
    const columns = { by, set: ['end_at', 'ended_with'] }
    const [statement] = DIALECT.setWhereNull(ASSIGNMENTS, columns, [[...by.map(() => 1), 2, 'x']])
    const [step] = statement ? stepsOf(statement) : []
    expect(step).toMatch(/^SEARCH .* USING .*INDEX/)
  })

  test('the names of what is read begin with that of the read model.', () => {
    for (const { name } of [ASSIGNMENTS, SUSPENSIONS, NAMES, CHECKPOINT])
      expect(name.startsWith(`${READ_MODEL}_`)).toBe(true)
  })
})
