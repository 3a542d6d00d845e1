import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../../src/adapters/sql/dialect.js'
import { historyStatement } from '../../../../src/adapters/sql/read-model/history.js'
import { listStatements } from '../../../../src/adapters/sql/read-model/lists.js'
import { OBJECTS, PERMISSIONS } from '../../../../src/adapters/sql/read-model/tables.js'
import { sqliteDialect } from '../../../../src/adapters/sql/sqlite/dialect.js'
import { LIMITS } from '../../../../src/adapters/sqlite/connection.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import {
  idpAdded,
  projectAdded,
  roleAdded,
} from '../../../../src/laws/read-model/object-samples.js'
import type {
  HistoryQuery,
  ListQuery,
  SortKey,
  ViewType,
} from '../../../../src/ports/read-model.js'
import { identityField, viewFields } from '../../../../src/projections/rows.js'
import { temporaryFile } from '../temporary-file.js'

const DIALECT = sqliteDialect(LIMITS)

const ORGANIZATIONS = 100
const PROJECTS = 1000
const ROLES = 100_000
const BATCH = 10_000

const path = temporaryFile()
const { readModel, close } = openSqlite(path)
const database = new DatabaseSync(path)

beforeAll(async () => {
  const log = newLog()
  for (let index = 0; index < PROJECTS; index++) {
    const orgId = `org-${index % ORGANIZATIONS}`
    log.record(orgId, idpAdded(`idp-${index}`, `Login ${index}`))
    log.record(orgId, projectAdded(`project-${index}`, `Project ${index}`))
    for (let role = 0; role < ROLES / PROJECTS; role++) {
      const shown = {
        displayName: `Role ${role}`,
        group: `Group ${role % 7}`,
        permissions: [`doc-${role % 9}`],
      }
      log.record(orgId, roleAdded(`project-${index}`, `role-${role}`, shown))
    }
  }
  for (let index = 0; index < log.events.length; index += BATCH) {
    const events = log.events.slice(index, index + BATCH)
    await readModel.apply(await readModel.checkpoint(), events)
  }
})

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

/** How the project of a role is looked up, and how the rows found are counted. */
const SCOPE =
  /^(CORRELATED )?SCALAR SUBQUERY \d+$|^SEARCH standing .*\(stream=\? AND since=\?\)$|^(CO-ROUTINE|SCAN) counted$/

/** How a table is read. */
const SEARCH = '^SEARCH object USING'

/** The same without the look-ups of the project and the count. */
const planOf = (statement: Statement): readonly string[] =>
  stepsOf(statement).filter((step) => !SCOPE.test(step))

const listOf = (type: ViewType, changes: Partial<ListQuery<ViewType>> = {}) => ({
  type,
  orgId: 'org-7',
  ...(type === 'project_role' ? { projectId: 'project-7' } : {}),
  conditions: [],
  sort: [{ field: identityField[type], direction: 'asc' } as const],
  limit: 100,
  ...changes,
})

const TYPES = ['identity_provider', 'project', 'project_role'] as const
const DIRECTIONS = ['asc', 'desc'] as const

const filterable = TYPES.flatMap((type) =>
  Object.entries(viewFields[type])
    .filter(([, field]) => field.filterable)
    // Roles are all active: there is nothing to look up.
    .filter(([field]) => type !== 'project_role' || field !== 'state')
    .flatMap(([field]) => [true, false].map((ignoreCase) => ({ type, field, ignoreCase }))),
)

const sorted = TYPES.flatMap((type) =>
  Object.keys(viewFields[type]).flatMap((field) =>
    DIRECTIONS.map((direction) => ({ type, field, direction })),
  ),
)

describe('With 100,000 roles of 1,000 projects in 100 organizations', () => {
  test('there are so many.', async () => {
    const page = await readModel.list<'project_role'>(listOf('project_role', { limit: 3 }) as never)
    expect(page.totalSize).toBe(ROLES / PROJECTS)
    expect(
      database.prepare(`SELECT count(*) AS n FROM ${OBJECTS.project_role.name}`).get(),
    ).toEqual({
      n: ROLES,
    })
  })

  test.each(filterable)(
    '$type by $field (any case: $ignoreCase) is looked up in an index.',
    ({ type, field, ignoreCase }) => {
      for (const operator of ['equals', 'startsWith'] as const) {
        const conditions = [{ field, operator, value: 'role-1', ignoreCase }]
        const query = listOf(type, { conditions })
        const range = operator === 'equals' ? '=\\?' : '>\\? AND \\w+<\\?'
        const lookUp = (columns: string) =>
          new RegExp(`${SEARCH} (COVERING )?INDEX \\w+ \\(scope=\\? AND (${columns})${range}\\)$`)
        const isAnyKey = ignoreCase && field === identityField[type]
        const plan = isAnyKey
          ? ['MULTI-INDEX OR', 'INDEX 1', lookUp('key'), 'INDEX 2', lookUp(`folded_${field}`)]
          : [lookUp(`key|folded_${field}`)]
        const expected = plan.map((step) => expect.stringMatching(step))
        expect(planOf(listStatements(DIALECT, query).count)).toEqual(expected)
        expect(planOf(listStatements(DIALECT, query).page).slice(0, plan.length)).toEqual(expected)
      }
    },
  )

  test('a key in any case is looked up by an index, with any further conditions.', () => {
    const key = { field: 'roleKey', operator: 'equals', value: 'Role-1', ignoreCase: true } as const
    const state = {
      field: 'state',
      operator: 'equals',
      value: 'active',
      ignoreCase: false,
    } as const
    for (const conditions of [
      [key, state],
      [state, key],
      [key, key],
    ]) {
      const plan = planOf(listStatements(DIALECT, listOf('project_role', { conditions })).count)
      expect(plan[0]).toBe('MULTI-INDEX OR')
    }
  })

  test.each([
    ['equals', 'scope=? AND permission=?'],
    ['startsWith', 'scope=? AND permission>? AND permission<?'],
    ['contains', 'scope=?'],
  ] as const)(
    'roles by a permission that %s a text are looked up by their keys.',
    (operator, by) => {
      const conditions = [{ field: 'permission', operator, value: 'doc-1', ignoreCase: false }]
      const { count, page } = listStatements(DIALECT, listOf('project_role', { conditions }))
      for (const statement of [count, page]) {
        const steps = planOf(statement).filter(
          (step) => !/^(LIST SUBQUERY|CREATE BLOOM)/.test(step),
        )
        expect(steps.slice(0, 2)).toEqual([
          expect.stringMatching(/^SEARCH object .*scope=\? AND key=\?/),
          expect.stringContaining(`(${by})`),
        ])
        expect(steps[1]).toMatch(new RegExp(`^SEARCH allowed USING .*${PERMISSIONS.name}_`))
      }
    },
  )

  test.each(filterable)(
    '$type containing something in $field reads one organization or project.',
    ({ type, field, ignoreCase }) => {
      const conditions = [{ field, operator: 'contains', value: 'x', ignoreCase } as const]
      const query = listOf(type, { conditions })
      for (const statement of [
        listStatements(DIALECT, query).count,
        listStatements(DIALECT, query).page,
      ]) {
        expect(planOf(statement)[0]).toMatch(new RegExp(`${SEARCH} .*INDEX \\w+ \\(scope=\\?\\)$`))
      }
    },
  )

  test.each(sorted)(
    '$type by $field, $direction, reads one organization or project.',
    ({ type, field, direction }) => {
      const last = { field: identityField[type], direction }
      const sort: readonly SortKey[] = field === last.field ? [last] : [{ field, direction }, last]
      for (const after of [undefined, sort.map(() => 'x')]) {
        const query = listOf(type, { sort, ...(after === undefined ? {} : { after }) })
        expect(planOf(listStatements(DIALECT, query).page)[0]).toMatch(
          new RegExp(`${SEARCH} .*INDEX \\w+ \\(scope=\\?( AND .*)?\\)$`),
        )
      }
    },
  )

  test.each(TYPES)('pages of %s by id or key need no sorting.', (type) => {
    for (const direction of DIRECTIONS) {
      const sort = [{ field: identityField[type], direction }]
      const plan = planOf(listStatements(DIALECT, listOf(type, { sort, after: ['x'] })).page)
      const beyond = direction === 'asc' ? '>' : '<'
      expect(plan).toEqual([expect.stringContaining(`(scope=? AND key${beyond}?)`)])
    }
  })

  describe('history', () => {
    const query = { orgId: 'org-7', after: 5n, limit: 10 }
    const project = { type: 'project', id: 'project-7' } as const
    const role = { type: 'project_role', projectId: 'project-7', roleKey: 'role-7' } as const
    const more = [{}, { actor: 'u1' }, { types: ['project.added'] }]
    const ranges = DIRECTIONS.flatMap((order) => [{ order }, { order, before: 9n }])

    /** How the events are come by, and whether they are sorted. */
    const entryStepsOf = (asked: Partial<HistoryQuery>) =>
      stepsOf(historyStatement(DIALECT, { ...query, ...asked })).filter((step) =>
        /^SEARCH (event|earlier) |TEMP B-TREE/.test(step),
      )
    const byStream = expect.stringMatching(
      /^SEARCH event USING INDEX sqlite_autoindex_events_1 \(stream(=|>)\?/,
    )
    const sorted = expect.stringContaining('TEMP B-TREE')

    test.each(more)('is looked up in an index, with %o.', (filter) => {
      for (const range of ranges) {
        expect(entryStepsOf({ ...range, ...filter })).toEqual([
          'SEARCH event USING INDEX events_organization (<expr>=? AND rowid>? AND rowid<?)',
        ])
        expect(entryStepsOf({ ...range, ...filter, object: project })[0]).toEqual(byStream)
      }
    })

    test.each(more)('of a role reads the role and its project alone, with %o.', (filter) => {
      for (const range of ranges)
        for (const step of entryStepsOf({ ...range, ...filter, object: role }))
          expect([
            byStream,
            sorted,
            expect.stringContaining('SEARCH earlier USING'),
          ]).toContainEqual(step)
    })

    test.each(more)(
      'of a project with its roles reads and sorts them alone, with %o.',
      (filter) => {
        for (const range of ranges)
          for (const step of entryStepsOf({
            ...range,
            ...filter,
            object: project,
            including: 'roles',
          }))
            expect([byStream, sorted]).toContainEqual(step)
      },
    )
  })
})
