import {
  type Imported,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import { expect, it } from 'vitest'

it.each<[name: string, read: (...names: string[]) => Imported]>([
  ['Zitadel', (...ids) => readZitadelExport({ orgs: ids.map((orgId) => ({ orgId })) })],
  ['Keycloak', (...names) => readKeycloakRealm(names.map((realm) => ({ realm })))],
  [
    'better-auth',
    (...ids) =>
      readBetterAuth({
        members: ids.map((organizationId) => ({ organizationId, userId: 'u', role: 'owner' })),
      }),
  ],
])('an organization of %s does not become one with another whose id is derived', (_, read) => {
  const [derived] = read('a b').organizations
  const { organizations, warnings } = read('a b', derived?.orgId ?? '')
  expect(organizations).toEqual([derived])
  expect(warnings.map(({ kind }) => kind)).toEqual(['IdChanged', 'Doubled'])
})
