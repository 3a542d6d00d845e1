import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bigintArray, textArray } from '../../../../src/adapters/postgres/unnest-columns.js'
import { serverForFile } from '../test-schemas.js'

const server = serverForFile()
let client: pg.Client

beforeAll(async () => {
  client = new pg.Client(server.connectionString)
  await client.connect()
})

afterAll(() => client.end())

const asPostgresReads = async (type: string, parameter: unknown): Promise<unknown> => {
  const { rows } = await client.query(`SELECT to_json($1::${type}[]) AS read`, [parameter])
  return rows[0].read
}

test('PostgreSQL reads an array of any texts as it was', async () => {
  const odd = [
    '',
    'NULL',
    '"',
    '\\',
    '{',
    '}',
    ',',
    "'",
    ' a ',
    '\n',
    '\t',
    '\u007f',
    'é',
    '\u{1F511}',
  ]
  expect(await asPostgresReads('text', textArray([]))).toEqual([])
  for (const text of odd) expect(await asPostgresReads('text', textArray([text]))).toEqual([text])
  const text = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme' }))
  // No store could keep U+0000.
  const texts = fc.array(fc.option(text.map((value) => value.replaceAll('\0', ''))))
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      expect(await asPostgresReads('text', textArray(given))).toEqual(given)
    }),
  )
})

test('PostgreSQL reads an array of whole numbers as it was', async () => {
  expect(await asPostgresReads('bigint', bigintArray([]))).toEqual([])
  expect(
    await asPostgresReads('bigint', bigintArray([0n, 1, -1n, 1_700_000_000_000_000n])),
  ).toEqual([0, 1, -1, 1_700_000_000_000_000])
})
