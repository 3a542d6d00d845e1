import { describe, expect, test } from 'vitest'
import { openPostgres, postgresCursors } from '../../../../src/adapters/postgres/index.js'
import { eventRestoreLaws, eventStoreLaws, webhookCursorLaws } from '../../../../src/laws/index.js'
import { newSchema, schemas } from '../test-schemas.js'
import { DRIVERS, driverForFile } from './hosts.js'

describe.each(DRIVERS)('On %s', (name) => {
  const driver = driverForFile(name)

  test.each([...eventStoreLaws, ...eventRestoreLaws])('the store: $name', async ({ check }) => {
    await using harness = schemas((schema) => ({ driver: driver(), schema }))
    await check(harness)
  })

  test.each(webhookCursorLaws)('webhook cursors: $name', async ({ check }) => {
    let schema = ''
    const reopen = () => postgresCursors({ driver: driver(), schema })
    const open = () => {
      schema = newSchema()
      return reopen()
    }
    await check({ open, reopen })
  })

  test('an option for another address is refused', async () => {
    const opening = openPostgres({
      driver: driver(),
      listenConnectionString: 'postgres://localhost',
    })
    await expect(opening).rejects.toThrow('listenConnectionString must be absent with a driver')
  })
})
