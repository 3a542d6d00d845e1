import type { Iam, Plan } from 'claviger'
import {
  type Imported,
  type ImportedOrganization,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import { compareGrants } from '../importing/compare-grants.js'
import { openReport, type Report } from '../importing/report.js'
import { type Command, type CommandCall, DATABASE, Failed, UsageError } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { readJson } from '../running/read-file.js'
import { contextOf, KEYS, openCipher, openIam } from '../running/secrets.js'
import { unwrap } from '../running/unwrap.js'

export const importCommand: Command = {
  help: `Usage: claviger import zitadel|keycloak|better-auth FILE [options]

Moves in from another system: reads what it exported, shows what would change
and what is not taken, then applies it. Run again, it changes nothing. Exits
with 2 when changes are pending with --dry-run, or user grants were refused.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --create        creates the database when it is not there
  --dry-run       shows it, and records nothing
  --user USER     who is on record for it; claviger-cli when absent
  --keys FILE     keys that seal secrets; else CLAVIGER_KEYS_FILE
  --json          plans, warnings and results as lines of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    create: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    user: { type: 'string' },
  },
  positionals: [2, 2],
  run: async (call) => {
    const { values, terminal } = call
    const { organizations, warnings } = await readExport(call)
    const cipher = await openCipher(call)
    if (!cipher && organizations.some(({ access }) => access.identityProviders?.length))
      throw new Failed('Identity providers have secrets to seal: give --keys FILE')
    await using database = await openDatabase(call, { create: values['create'] === true })
    const iam = openIam(database, cipher)
    const report = openReport(terminal, values['json'] === true)
    await report.warnings(warnings)
    const planned = await planAll(call, { iam, organizations, report })
    if (values['dry-run']) return planned.some(({ isPending }) => isPending) ? 2 : 0
    return (await applyAll(call, { iam, planned, report })) > 0 ? 2 : 0
  },
}

const READERS: Readonly<Record<string, (json: unknown) => Imported>> = {
  zitadel: readZitadelExport,
  keycloak: readKeycloakRealm,
  'better-auth': (json) => readBetterAuth(Object(json)),
}

const readExport = async ({ positionals }: CommandCall): Promise<Imported> => {
  const [source = '', file = ''] = positionals
  const read = Object.hasOwn(READERS, source) ? READERS[source] : undefined
  if (!read) throw new UsageError(`There is no import from ${source}`)
  const imported = read(await readJson(file))
  if (imported.warnings.some(({ path }) => path === ''))
    throw new Failed(`The file ${file} is no export of ${source}`)
  return imported
}

/** An organization with its plan, before anything is recorded. */
interface Planned extends ImportedOrganization {
  readonly plan: Plan
  readonly isPending: boolean
}

const planAll = async (
  call: CommandCall,
  {
    iam,
    organizations,
    report,
  }: {
    readonly iam: Iam
    readonly organizations: readonly ImportedOrganization[]
    readonly report: Report
  },
): Promise<readonly Planned[]> => {
  const planned: Planned[] = []
  for (const organization of organizations) {
    const { orgId, access } = organization
    const context = contextOf(call, orgId)
    call.terminal.progress(`${planned.length} of ${organizations.length} organizations planned`)
    const plan = unwrap(await iam.plan(access, context))
    const grants = await compareGrants(iam, organization, context)
    await report.plan(plan, grants)
    const { add, update, remove } = plan.counts
    const isPending = add + update + remove + grants.missing + grants.different > 0
    planned.push({ ...organization, plan, isPending })
  }
  return planned
}

/** Applies every plan before the first user gets a role. Answers how many grants to users were refused. */
const applyAll = async (
  call: CommandCall,
  {
    iam,
    planned,
    report,
  }: { readonly iam: Iam; readonly planned: readonly Planned[]; readonly report: Report },
): Promise<number> => {
  const { terminal } = call
  for (const [index, { orgId, plan }] of planned.entries()) {
    terminal.progress(`${index} of ${planned.length} organizations applied`)
    unwrap(await iam.apply(plan, contextOf(call, orgId)))
  }
  let refused = 0
  for (const { orgId, userGrants, plan } of planned) {
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${orgId}: ${done} of ${userGrants.length} user grants`)
    const context = { ...contextOf(call, orgId), onProgress }
    const imported = unwrap(await iam.userGrants.import({ grants: userGrants }, context))
    await report.result(plan, userGrants, imported)
    refused += imported.refusedCount
  }
  return refused
}
