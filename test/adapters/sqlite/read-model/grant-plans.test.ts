import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../../src/adapters/sql/dialect.js'
import { accessStatement } from '../../../../src/adapters/sql/read-model/access.js'
import { affectedStatement } from '../../../../src/adapters/sql/read-model/affected.js'
import { heldRolesStatement } from '../../../../src/adapters/sql/read-model/held-roles.js'
import { historyStatement } from '../../../../src/adapters/sql/read-model/history.js'
import { holdersStatement } from '../../../../src/adapters/sql/read-model/holders.js'
import { listStatements } from '../../../../src/adapters/sql/read-model/lists.js'
import { objectStatement } from '../../../../src/adapters/sql/read-model/read-model.js'
import {
  FILLED,
  GRANTS,
  HELD,
  ON_RESOURCE,
} from '../../../../src/adapters/sql/read-model/tables.js'
import { usersStatement } from '../../../../src/adapters/sql/read-model/users.js'
import { sqliteDialect } from '../../../../src/adapters/sql/sqlite/dialect.js'
import { LIMITS } from '../../../../src/adapters/sqlite/connection.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { listOf } from '../../../../src/laws/read-model/samples.js'
import {
  ACCESS,
  AFFECTED,
  ALL_HOLDERS,
  applyManyGrants,
  GRANT_LISTS,
  HELD_ROLES,
  HOLDERS,
  HOLDERS_OF_USER,
  USERS_OF_ORGANIZATION,
} from '../../sql/read-model/many-grants.js'
import { temporaryFile } from '../temporary-file.js'

const DIALECT = sqliteDialect(LIMITS)

const path = temporaryFile()
const { readModel, close } = openSqlite(path, { views: true })
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

/** Steps that read a whole table. Results that were made before, and texts of JSON, are read as a whole. */
const scansIn = (statement: Statement): readonly string[] =>
  stepsOf(statement).filter((step) =>
    /^SCAN (?!CONSTANT|moment|pages?\b|page_|part_|parts|counted|listed|json_each|found|last|entry|given)/.test(
      step,
    ),
  )

/** What tables are searched by, under the name that they have in a statement. */
const searchedBy = (statement: Statement, name: string): readonly string[] =>
  stepsOf(statement).flatMap((step) => {
    const found = new RegExp(`^SEARCH ${name} [^(]*\\((.*)\\)$`).exec(step)
    return found?.[1] === undefined ? [] : [found[1]]
  })

const sortsIn = (statement: Statement): readonly string[] =>
  stepsOf(statement).filter((step) => step.includes('TEMP B-TREE'))

describe('Among 20,000 grants in 100 organizations', () => {
  test('there are so many.', () => {
    expect(database.prepare(`SELECT count(*) AS n FROM ${GRANTS.name}`).get()).toEqual({
      n: 20_000,
    })
  })

  test('a grant takes one row in its table, with one index, and one for its role.', () => {
    expect(database.prepare(`SELECT count(*) AS n FROM ${HELD.name}`).get()).toEqual({ n: 20_000 })
    const filled = GRANTS.indexes.filter(({ columns }) =>
      columns.every(
        (column) => !GRANTS.columns.some(({ name, isNullable }) => name === column && isNullable),
      ),
    )
    // Of those, the one of roles has rows for roles on resources alone.
    expect([filled.length, HELD.indexes.map(({ where }) => where)]).toEqual([1, [ON_RESOURCE]])
    const rows = FILLED.map(({ name }) =>
      database.prepare(`SELECT count(*) AS n FROM ${name}`).get(),
    )
    const total = rows.reduce((sum, row) => sum + Number(row?.['n']), 0)
    expect(total).toBeLessThan(2 * 20_000 + 5_000)
  })

  test.each(GRANT_LISTS)('a list by %s reads no table as a whole.', (by, query) => {
    const { count, page } = listStatements(DIALECT, query)
    for (const statement of [count, page]) expect(scansIn(statement)).toEqual([])
    // Among many resources, the one is looked up, in an index that has the order of the page.
    if (by === 'resource') expect(searchedBy(page, 'place')).toEqual(['resource=? AND org=?'])
    // Of one user, other projects are passed over without a look into their grants.
    expect(searchedBy(page, 'own')).toEqual(by.startsWith('user') ? ['user_id=?'] : [])
    if (query.isReceived) expect(searchedBy(page, 'object')).toEqual(['key=?'])
    else
      expect(searchedBy(page, 'object')).toEqual([
        by.startsWith('user') ? 'place=? AND user_id=?' : 'place=?',
      ])
  })

  test('pages in the order of the key need no sorting, also by role, user or project.', () => {
    for (const [, query] of GRANT_LISTS)
      if (!query.isReceived) expect(sortsIn(listStatements(DIALECT, query).page)).toEqual([])
  })

  test('a later page begins where the one before ended, and goes on only if it is not full.', () => {
    const query = listOf('user_grant')
    const after = ['owner+project-0+user-5']
    const { page, rest } = listStatements(DIALECT, { ...query, after })
    if (!rest) throw new Error('The rest is found apart')
    expect(searchedBy(page, 'place')).toEqual(['org=? AND scope=?'])
    expect(searchedBy(page, 'object')).toEqual(['place=? AND user_id>?'])
    expect(searchedBy(rest, 'place')).toEqual(['org=? AND scope>?'])
    expect(searchedBy(rest, 'object')).toEqual(['place=?'])
    for (const statement of [page, rest]) expect(sortsIn(statement)).toEqual([])
  })

  test('inactive grants are found by an index, which has the order of the pages.', () => {
    const inactive = {
      field: 'state',
      operator: 'equals',
      value: 'inactive',
      ignoreCase: false,
    } as const
    const query = { ...listOf('user_grant'), conditions: [inactive] }
    const first = listStatements(DIALECT, query)
    const later = listStatements(DIALECT, { ...query, after: ['owner+project-0+user-5'] })
    for (const statement of [first.page, later.page, later.rest]) {
      if (!statement) throw new Error('The rest is found apart')
      expect(searchedBy(statement, 'inactive')).toEqual([
        expect.stringMatching(/^state=\? AND place=\?/),
      ])
      expect(searchedBy(statement, 'object')).toEqual(['place=? AND user_id=?'])
      expect(sortsIn(statement)).toEqual([])
    }
  })

  test('one grant, and a check of access, are looked up, and sort nothing.', () => {
    const ref = { type: 'user_grant', userId: 'user-7', projectId: 'project-0' } as const
    for (const statement of [
      objectStatement(DIALECT, 'org-7', ref),
      accessStatement(DIALECT, ACCESS),
    ]) {
      expect(scansIn(statement)).toEqual([])
      expect(sortsIn(statement)).toEqual([])
      expect(new Set(searchedBy(statement, 'share'))).toEqual(new Set(['rowid=?']))
    }
    // However many providers the organization has.
    const check = accessStatement(DIALECT, { ...ACCESS, resource: 'workspace:42' })
    expect(searchedBy(check, 'member')).toEqual(['user_id=? AND org=?'])
    expect(searchedBy(check, 'mapped')).toEqual(['org=? AND idp=? AND grp=?'])
  })

  test.each(HELD_ROLES)('the roles of one user are looked up, with %o.', (query) => {
    const statement = heldRolesStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    expect(searchedBy(statement, 'granted')).toEqual(['user_id=?'])
    expect(searchedBy(statement, 'member')).toEqual(['user_id=? AND org=?'])
    const places = 'projectId' in query ? ['rowid=?', 'rowid=?'] : ['rowid=?']
    expect(searchedBy(statement, 'place')).toEqual(places)
    // The present is what grants list; the past is in the rows of roles.
    expect(searchedBy(statement, 'held')).toEqual(
      'at' in query ? ['share=? AND resource=? AND user_id=? AND begin_at<?'] : [],
    )
    // What makes a generation count is asked once for each, not for each resource.
    expect(stepsOf(statement).filter((step) => step === 'MATERIALIZE given')).toHaveLength(1)
    expect(searchedBy(statement, 'share')).toContain('rowid=?')
  })

  test.each(['role_holder', 'permission_holder'])('%s finds the rows of one user.', (view) => {
    const statement = {
      sql: `SELECT project_id FROM claviger_${view} WHERE org_id = ? AND user_id = ?`,
      parameters: ['org-7', 'user-7'],
    }
    // Of the rows found alone.
    expect(scansIn(statement)).toEqual([`SCAN claviger_${view}`])
    expect(searchedBy(statement, 'granted')).toEqual(['user_id=?'])
    expect(searchedBy(statement, 'held')).toEqual(['share=? AND resource=? AND user_id=?'])
    const [member = ''] = searchedBy(statement, 'member')
    expect(member).toContain('user_id=?')
  })

  test.each([...HOLDERS, ...ALL_HOLDERS])(
    'the holders of roles are found in order by %s.',
    (parts, query) => {
      const statement = holdersStatement(DIALECT, query)
      expect(scansIn(statement)).toEqual([])
      expect(searchedBy(statement, 'share')).toEqual(parts)
      // Of an organization without users, nothing more than that is asked.
      const pointing = parts.map(() => 'share=?')
      expect(searchedBy(statement, 'pointing')).toEqual(pointing)
      // A later page begins where the one before ended.
      const row = 'after' in query ? 'share=? AND (resource,user_id)>(?,?)' : 'share=?'
      expect(searchedBy(statement, 'held')).toEqual([row])
      // Only pages are sorted: that of grants, its end, that of both, and again beside the positions.
      const ofEnd = 'projectId' in query && 'roleKey' in query ? 2 : 1
      expect(sortsIn(statement)).toHaveLength(3 + ofEnd)
    },
  )

  test('a later page of members begins after the last one of the page before.', () => {
    const after = ['editor', 'org-7', '', 'google', 'staff', 'user-7'] as const
    const statement = holdersStatement(DIALECT, { ...HOLDERS[0][1], after })
    expect(searchedBy(statement, 'member')).toEqual(['org=? AND idp=? AND grp=? AND user_id>?'])
  })

  test.each(USERS_OF_ORGANIZATION)(
    'the users of an organization are found role by role, in their order, with %o.',
    (query) => {
      const statement = usersStatement(DIALECT, query)
      expect(scansIn(statement)).toEqual([])
      expect(new Set(searchedBy(statement, 'share'))).toEqual(new Set(['place=?']))
      if ('userIds' in query)
        expect(new Set(searchedBy(statement, 'granted'))).toEqual(new Set(['user_id=?']))
      const user = 'after' in query ? ' AND user_id>?' : 'userIds' in query ? ' AND user_id=?' : ''
      // Of whole projects, and of resources.
      expect(searchedBy(statement, 'held')).toEqual([
        `share=? AND resource=?${user}`,
        `share=?${user}`,
      ])
      expect(searchedBy(statement, 'member')).toEqual([
        expect.stringContaining(`org=? AND idp=? AND grp=?${user}`),
      ])
      // The roles of each mapping, but no users.
      expect(sortsIn(statement)).toEqual(['USE TEMP B-TREE FOR GROUP BY'])
    },
  )

  test.each(HOLDERS_OF_USER)(
    'the roles of one user in a project are looked up, with %o.',
    (query) => {
      const statement = holdersStatement(DIALECT, query)
      expect(scansIn(statement)).toEqual([])
      expect(searchedBy(statement, 'granted')).toEqual(['user_id=?'])
      expect(searchedBy(statement, 'member')).toEqual(['user_id=?'])
    },
  )

  test.each(AFFECTED)('the roles that a change concerns are found by %s.', (columns, query) => {
    const statement = affectedStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    expect(new Set(searchedBy(statement, 'share'))).toEqual(new Set([columns]))
    expect(new Set(searchedBy(statement, 'held'))).toEqual(new Set(['share=?']))
  })

  test('the history of the grants of a user is found by the grants.', () => {
    const query = { orgId: 'org-7', user: 'user-7', after: 0n, limit: 10 }
    const statement = historyStatement(DIALECT, query)
    expect(scansIn(statement)).toEqual([])
    expect(searchedBy(statement, 'event')).toEqual(['stream=?', 'stream=?'])
  })
})
