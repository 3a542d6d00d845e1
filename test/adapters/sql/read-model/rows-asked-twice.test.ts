import { DatabaseSync } from 'node:sqlite'
import {
  applyBatch,
  createTables,
  type Dialect,
  type Row,
  type Steps,
  sqliteDialect,
} from 'claviger/sql'
import { expect, test } from 'vitest'
import { storyLog } from '../../../../src/laws/read-model/grant-samples.js'
import { mappingStoryLog } from '../../../../src/laws/read-model/mapping-laws.js'
import { manyLog } from '../../../../src/laws/read-model/samples.js'
import { readEvents } from '../../../../src/projections/read-events.js'

const plain: Dialect = { ...sqliteDialect({ maxParameters: 100 }), keepsEvents: true }

/** The dialect of a host that counts and measures rows, and makes all statements, before it uses them. */
const curious: Dialect = {
  ...plain,
  wanted: (columns, rows) => plain.wanted(columns, twice(rows)),
  insert: (table, rows) => madeTwice(() => plain.insert(table, twice(rows))),
  update: (table, columns, rows) => madeTwice(() => plain.update(table, columns, twice(rows))),
  remove: (table, by, rows) => madeTwice(() => plain.remove(table, by, twice(rows))),
}

const twice = (rows: readonly Row[]): readonly Row[] => {
  const texts = rows.map((row) => row.map(String))
  expect(rows.map((row) => row.map(String))).toEqual(texts)
  return rows.filter((_, index) => rows[index] !== undefined)
}

const madeTwice = <Value>(make: () => Iterable<Value>): readonly Value[] => {
  const first = [...make()]
  expect([...make()]).toEqual(first)
  return first
}

const run = <Value>(database: DatabaseSync, steps: Steps<Value>): Value => {
  let step = steps.next()
  while (!step.done) {
    const { sql, parameters } = step.value
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    step = steps.next(statement.all(...parameters) as never)
  }
  return step.value
}

/** All rows of all tables after the events, in batches of that size. */
const tablesAfter = (
  dialect: Dialect,
  { events }: ReturnType<typeof manyLog>,
  size: number,
): unknown => {
  const database = new DatabaseSync(':memory:')
  database.exec(createTables(dialect))
  let from = 0n
  for (let start = 0; start < events.length; start += size) {
    const batch = { from, events: readEvents(events.slice(start, start + size)) }
    expect(run(database, applyBatch(dialect, batch))).toBe(true)
    from = batch.events.at(-1)?.position ?? from
  }
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  return names.map(({ name }) => [
    name,
    database
      .prepare(`SELECT * FROM "${name}"`)
      .all()
      .map((row) => JSON.stringify(row))
      .sort(),
  ])
}

test.each([
  ['grants', storyLog],
  ['mappings', mappingStoryLog],
  ['objects of all types', manyLog],
])('A dialect may ask for each row as often as it likes: %s', (_, logOf) => {
  const log = logOf()
  for (const size of [1, 7, log.events.length])
    expect(tablesAfter(curious, log, size)).toEqual(tablesAfter(plain, log, size))
})
