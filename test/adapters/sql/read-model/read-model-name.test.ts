import { expect, test } from 'vitest'
import { READ_MODEL, readModelName } from '../../../../src/adapters/sql/read-model/tables.js'

const text = (name: string) => ({ name, holds: 'text' }) as const
const role = { columns: [text('key'), text('folded_name')], fields: ['name', 'group'] }
const project = { columns: [text('key')], fields: ['id'] }

test('The name of the tables is the one that databases have.', () => {
  expect(READ_MODEL).toBe('read_1e8p2l1')
})

test('The order of types, columns and fields makes no other name.', () => {
  const turned = { columns: role.columns.toReversed(), fields: role.fields.toReversed() }
  expect(readModelName({ project, role: turned })).toBe(readModelName({ role, project }))
})

test.each([
  ['a type more', { role, project, domain: project }],
  ['a type less', { role }],
  ['another type', { role, projects: project }],
  ['another column', { role, project: { ...project, columns: [text('keys')] } }],
  [
    'a column that holds another value',
    { role, project: { ...project, columns: [{ name: 'key', holds: 'integer' } as const] } },
  ],
  ['another field', { role, project: { ...project, fields: ['name'] } }],
])('%s makes another name.', (_, rows) => {
  expect(readModelName(rows)).not.toBe(readModelName({ role, project }))
})
