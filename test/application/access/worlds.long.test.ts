import { describe, expect, it } from 'vitest'
import { serverForFile } from '../../adapters/postgres/test-schemas.js'
import { compared } from '../../fuzz/worlds/program.js'
import { searched } from '../../nightly.js'
import { PLANTED_IN_WORLDS } from '../../simulation/planted.js'

const HISTORIES = searched({ short: '10', nightly: '30' })

const server = serverForFile()

it('PostgreSQL agrees with all other worlds on any history', { timeout: 300_000 }, async () => {
  const { connectionString } = server
  const found = await compared(['--histories', HISTORIES, '--postgres', connectionString])
  expect(found).toBe(`${HISTORIES} histories: all worlds agree\n`)
})

describe('A planted bug is found', () => {
  it.each(PLANTED_IN_WORLDS)('$name', { timeout: 300_000 }, async ({ name }) => {
    const found = await compared(['--histories', '300'], name)
    expect(found).toMatch(/^Difference in history \d+: /)
  })
})
