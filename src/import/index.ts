export { type BetterAuthTables, readBetterAuth } from './better-auth.js'
export type {
  Imported,
  ImportedOrganization,
  ImportWarning,
  ImportWarningKind,
} from './imported.js'
export { parseJson } from './json.js'
export { readKeycloakRealm } from './keycloak.js'
export { readZitadelExport } from './zitadel.js'
