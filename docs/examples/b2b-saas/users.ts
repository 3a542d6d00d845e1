// Users: this product's own rows.
import {
  type ExternalClaims,
  type IdentityProvider,
  mapExternalUser,
  mayAutoRegister,
} from 'claviger'
import type { Pool } from 'pg'

/**
 * The user whom a provider of the customer vouches for: one who has signed in before, who was invited, or who may
 * register. Undefined for anybody else.
 */
export const userOf = async (
  pool: Pool,
  provider: IdentityProvider,
  claims: ExternalClaims,
): Promise<string | undefined> => {
  const idOf = async (statement: string, values: readonly unknown[]) =>
    (await pool.query<{ id: string }>(statement, [...values])).rows[0]?.id
  const who = [provider.details.resourceOwner, provider.issuer, claims.sub]
  const known = await idOf(
    'SELECT id FROM app.users WHERE customer_id = $1 AND issuer = $2 AND subject = $3',
    who,
  )
  const { username } = mapExternalUser(provider, claims)
  if (known !== undefined || username === undefined) return known
  // An invitation is for whoever can prove the address, not for whoever chose that name.
  if (provider.usernameMapping === 'OIDC_MAPPING_FIELD_EMAIL') {
    const invited = await idOf(
      `UPDATE app.users SET issuer = $2, subject = $3
       WHERE customer_id = $1 AND username = $4 AND subject IS NULL RETURNING id`,
      [...who, username],
    )
    if (invited !== undefined) return invited
  }
  if (!mayAutoRegister(provider)) return undefined
  return idOf(
    `INSERT INTO app.users (id, customer_id, username, is_admin, issuer, subject)
     VALUES ($5, $1, $4, false, $2, $3) ON CONFLICT DO NOTHING RETURNING id`,
    [...who, username, crypto.randomUUID()],
  )
}
