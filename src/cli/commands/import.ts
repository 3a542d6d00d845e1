import {
  type Context,
  formatPlan,
  type Iam,
  type ImportReport,
  items,
  orThrow,
  type Plan,
  toJson,
  type UserGrant,
  type UserGrantRolesInput,
} from 'claviger'
import {
  type Imported,
  type ImportedOrganization,
  type ImportWarning,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import {
  type Command,
  type CommandCall,
  explain,
  Failed,
  readJson,
  UsageError,
} from '../command.js'
import {
  contextOf,
  DATABASE,
  KEYS,
  openCipher,
  openDatabase,
  openIam,
  RECORDING,
  writingContextOf,
} from '../database.js'
import type { Terminal } from '../terminal.js'

export const importCommand: Command = {
  help: `Usage: claviger import zitadel|keycloak|better-auth FILE [options]

Imports from another system: reads its export, shows the changes and what is
left out, then applies it. Running it again changes nothing. Exits with 2 when
changes are pending with --dry-run, or user grants were refused.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME   schema of PostgreSQL; default: claviger
  --create        creates a missing database
  --dry-run       shows the changes, and records nothing
  --user USER     the actor in the history; default: claviger-cli
  --reason TEXT   why; shown in the history
  --keys FILE     keys that encrypt secrets; else CLAVIGER_KEYS_FILE
  --json          plans, warnings and results as lines of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    ...RECORDING,
    create: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  positionals: [2, 2],
  run: async (call) => {
    const { values, terminal } = call
    const { organizations, warnings } = await readExport(call)
    const cipher = await openCipher(call)
    if (!cipher && organizations.some(({ access }) => access.identityProviders?.length))
      throw new Failed('Identity providers have secrets to encrypt: give --keys FILE')
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
  if (!read) throw new UsageError(`Unknown source ${source}`)
  const imported = read(await readJson(file))
  const whole = imported.warnings.find(({ path }) => path === '')
  if (whole?.kind === 'TooLarge')
    throw new Failed(`The file ${file} was not imported: ${whole.message}`)
  if (whole) throw new Failed(`The file ${file} is not an export of ${source}`)
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
    const plan = await orThrow(iam.plan(access, context))
    const grants = await compareGrants(iam, organization, context)
    await report.plan(plan, grants)
    const { add, update, remove } = plan.counts
    const isPending = add + update + remove + grants.missing + grants.different > 0
    planned.push({ ...organization, plan, isPending })
  }
  return planned
}

/** Applies every plan, then adds the user grants. Returns the number of refused user grants. */
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
    await orThrow(iam.apply(plan, writingContextOf(call, orgId)))
  }
  let refused = 0
  for (const { orgId, userGrants, plan } of planned) {
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${orgId}: ${done} of ${userGrants.length} user grants`)
    const context = { ...writingContextOf(call, orgId), onProgress }
    const imported = await orThrow(iam.userGrants.import({ grants: userGrants }, context))
    await report.result(plan, userGrants, imported)
    refused += imported.refusedCount
  }
  return refused
}

/** The user grants of an export, compared with the existing ones. */
interface ComparedGrants {
  /** New ones. */
  readonly missing: number
  /** Existing ones with other roles, which an import refuses. */
  readonly different: number
  readonly equal: number
}

const PAGE_SIZE = 1_000

/** Compares the user grants of an export with the existing ones. */
const compareGrants = async (
  iam: Iam,
  { orgId, userGrants: grants }: ImportedOrganization,
  context: Context,
): Promise<ComparedGrants> => {
  const existing = grants.length === 0 ? new Map() : await existingRoles(iam, context)
  let [missing, different] = [0, 0]
  for (const grant of grants) {
    const roles = existing.get(nameOf({ projectOrgId: orgId, ...grant }))
    if (roles === undefined) missing += 1
    else if (roles !== rolesOf(grant)) different += 1
  }
  return { missing, different, equal: grants.length - missing - different }
}

/** The roles of existing grants, without grants that have none. */
const existingRoles = async (iam: Iam, context: Context): Promise<ReadonlyMap<string, string>> => {
  const existing = new Map<string, string>()
  for await (const grant of items(iam.userGrants.list, { pageSize: PAGE_SIZE }, context))
    if (grant.roles.length > 0) existing.set(nameOf(grant), rolesOf(grant))
  return existing
}

const nameOf = ({
  userId,
  projectId,
  projectOrgId,
}: Pick<UserGrantRolesInput, 'userId' | 'projectId' | 'projectOrgId'>): string =>
  `${projectOrgId}+${projectId}+${userId}`

const rolesOf = ({ roles }: Pick<UserGrantRolesInput | UserGrant, 'roles'>): string =>
  JSON.stringify(
    roles.map(({ roleKey, expiresAt }) => [roleKey, expiresAt ?? null]).toSorted(byKey),
  )

const byKey = ([one]: readonly unknown[], [other]: readonly unknown[]): number =>
  String(one) < String(other) ? -1 : 1

/** The output of an import, as text or as lines of JSON. */
interface Report {
  readonly warnings: (warnings: readonly ImportWarning[]) => Promise<void>
  readonly plan: (plan: Plan, grants: ComparedGrants) => Promise<void>
  readonly result: (
    plan: Plan,
    rows: readonly UserGrantRolesInput[],
    imported: ImportReport,
  ) => Promise<void>
}

/** Most warnings of one kind that are shown as text; the rest are counted. */
const MAX_SHOWN = 20

/** @see Report */
const openReport = (terminal: Terminal, isJson: boolean): Report =>
  isJson ? inJson(terminal) : asText(terminal)

const inJson = ({ printJson }: Terminal): Report => ({
  warnings: async (warnings) => {
    for (const warning of warnings) await printJson({ warning })
  },
  plan: async ({ desired: _, changes, ...plan }, userGrants) => {
    // This run applies the plan itself, so the desired state and the events, with sealed secrets, are not printed.
    const shown = changes.map(({ action, object, fields }) => ({ action, object, fields }))
    await printJson({ plan: toJson({ ...plan, changes: shown }), userGrants })
  },
  result: async ({ orgId, counts }, _, imported) =>
    printJson({ applied: { orgId, counts, userGrants: toJson(imported) } }),
})

const asText = ({ print }: Terminal): Report => ({
  warnings: async (warnings) => {
    for (const alike of Map.groupBy(warnings, ({ kind }) => kind).values()) {
      for (const { action, path, message } of alike.slice(0, MAX_SHOWN))
        await print(`${action} ${path}: ${message}`)
      const [first] = alike
      const more = alike.length - MAX_SHOWN + (alike.at(-1)?.more ?? 0)
      if (first && more > 0) await print(`${first.action} ${more} more: ${first.message}`)
    }
  },
  plan: async (plan, { missing, different, equal }) => {
    const changes = formatPlan(plan).split('\n')
    await print([{ bold: `organization ${plan.orgId}` }], ...changes)
    await print(`user grants: ${missing} to add, ${different} different, ${equal} unchanged`)
  },
  result: async ({ orgId, counts: { add, update } }, rows, imported) => {
    const { added, unchanged, refused, refusedCount } = imported
    await print(
      `${orgId}: ${add} added, ${update} updated; user grants: ${added} added, ${unchanged} unchanged, ${refusedCount} refused`,
    )
    for (const { index, error } of refused) {
      const { userId = '', projectId = '' } = rows[index] ?? {}
      await print(`refused ${userId} in ${projectId}: ${explain(error)}`)
    }
  },
})
