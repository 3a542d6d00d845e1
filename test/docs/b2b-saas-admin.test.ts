import { PERMISSIONS } from 'claviger'
import { expect, it } from 'vitest'
import { callers } from '../../docs/examples/b2b-saas/session.js'

it('An admin of a customer may do everything but read secrets', async () => {
  const pool = { query: async () => ({ rows: [{ customer_id: 'acme', is_admin: true }] }) }
  const cookies = { read: () => 'ada' }
  const caller = await callers(pool as never, cookies as never)('session=ada')
  expect(caller).toMatchObject({ userId: 'ada', orgId: 'acme' })
  expect([...(caller?.permissions ?? []), 'identity_provider.secret.read'].toSorted()).toEqual(
    [...PERMISSIONS].toSorted(),
  )
})
