// A new customer: their organization, its applications, the provider that they sign in with, and their first admin.
import { timingSafeEqual } from 'node:crypto'
import { type DesiredAccess, type DesiredIdentityProvider, type Iam, orThrow } from 'claviger'
import { Router } from 'express'
import type { Pool } from 'pg'
import { applyAccess, deployment } from './access.ts'

export interface NewCustomer {
  readonly id: string
  readonly name: string
  /** An address that the provider will vouch for. */
  readonly adminUsername: string
  readonly provider: DesiredIdentityProvider
}

export interface CustomerOptions {
  readonly iam: Iam
  readonly pool: Pool
  readonly access: DesiredAccess
  /** What the operators of this product call with. */
  readonly operatorToken: string
}

/** Every step may be repeated: after a fault, add the customer again. */
const addCustomer = async (
  { iam, pool, access }: CustomerOptions,
  { id, name, adminUsername, provider }: NewCustomer,
): Promise<void> => {
  await applyAccess(iam, id, access)
  await orThrow(iam.apply({ identityProviders: [provider] }, deployment(id)))
  await pool.query('INSERT INTO app.customers VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, name])
  await pool.query(
    `INSERT INTO app.users (id, customer_id, username, is_admin) VALUES ($1, $2, $3, true)
     ON CONFLICT DO NOTHING`,
    [crypto.randomUUID(), id, adminUsername],
  )
}

export const customersOf = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM app.customers ORDER BY id')
  return rows.map(({ id }) => id)
}

export const operatorRoutes = (options: CustomerOptions): Router => {
  const right = Buffer.from(`Bearer ${options.operatorToken}`)
  const routes = Router()
  routes.use((request, response, next) => {
    const given = Buffer.from(request.get('authorization') ?? '')
    if (given.length === right.length && timingSafeEqual(given, right)) next()
    else response.sendStatus(401)
  })
  routes.post('/customers', async ({ body }, response) => {
    await addCustomer(options, body)
    response.sendStatus(204)
  })
  return routes
}
