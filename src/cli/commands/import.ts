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
    const { values } = call
    const { organizations, warnings } = await readExport(call)
    const cipher = await openCipher(call)
    if (!cipher && organizations.some(({ access }) => access.identityProviders?.length))
      throw new Failed('Identity providers have secrets to encrypt: give --keys FILE')
    await using database = await openDatabase(call, { create: values['create'] === true })
    const iam = openIam(database, cipher)
    await printWarnings(call, warnings)
    const planned = await planAll(call, iam, organizations)
    if (values['dry-run']) return planned.some(({ isPending }) => isPending) ? 2 : 0
    return (await applyAll(call, iam, planned)) > 0 ? 2 : 0
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
  iam: Iam,
  organizations: readonly ImportedOrganization[],
): Promise<readonly Planned[]> => {
  const planned: Planned[] = []
  for (const organization of organizations) {
    const { orgId, access } = organization
    const context = contextOf(call, orgId)
    call.terminal.progress(`${planned.length} of ${organizations.length} organizations planned`)
    const plan = await orThrow(iam.plan(access, context))
    const grants = await compareGrants(iam, organization, context)
    await printPlan(call, plan, grants)
    const { add, update, remove } = plan.counts
    const isPending = add + update + remove + grants.missing + grants.different > 0
    planned.push({ ...organization, plan, isPending })
  }
  return planned
}

/** Applies every plan, then adds the user grants. Returns the number of refused user grants. */
const applyAll = async (
  call: CommandCall,
  iam: Iam,
  planned: readonly Planned[],
): Promise<number> => {
  const { terminal } = call
  for (const [index, { orgId, plan }] of planned.entries()) {
    terminal.progress(`${index} of ${planned.length} organizations applied`)
    await orThrow(iam.apply(plan, writingContextOf(call, orgId)))
  }
  let refused = 0
  for (const organization of planned) {
    const { orgId, userGrants } = organization
    const onProgress = ({ done }: { readonly done: number }) =>
      terminal.progress(`${orgId}: ${done} of ${userGrants.length} user grants`)
    const context = { ...writingContextOf(call, orgId), onProgress }
    const imported = await orThrow(iam.userGrants.import({ grants: userGrants }, context))
    await printResult(call, organization, imported)
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
  String(
    roles.map(({ roleKey, expiresAt }) => JSON.stringify([roleKey, expiresAt ?? null])).toSorted(),
  )

/** Most warnings of one kind that are shown as text; the rest are counted. */
const MAX_SHOWN = 20

const printWarnings = async (
  { values, terminal }: CommandCall,
  warnings: readonly ImportWarning[],
): Promise<void> => {
  if (values['json']) {
    for (const warning of warnings) await terminal.printJson({ warning })
    return
  }
  for (const alike of Map.groupBy(warnings, ({ kind }) => kind).values()) {
    for (const { action, path, message } of alike.slice(0, MAX_SHOWN))
      await terminal.print(`${action} ${path}: ${message}`)
    const [first] = alike
    const more = alike.length - MAX_SHOWN + (alike.at(-1)?.more ?? 0)
    if (first && more > 0) await terminal.print(`${first.action} ${more} more: ${first.message}`)
  }
}

const printPlan = async (
  { values, terminal }: CommandCall,
  plan: Plan,
  userGrants: ComparedGrants,
): Promise<void> => {
  if (values['json']) {
    // This run applies the plan itself, so the desired state and the events, with sealed secrets, are not printed.
    const { desired: _, changes, ...rest } = plan
    const shown = changes.map(({ action, object, fields }) => ({ action, object, fields }))
    return terminal.printJson({ plan: toJson({ ...rest, changes: shown }), userGrants })
  }
  const { missing, different, equal } = userGrants
  await terminal.print(
    [{ bold: `organization ${plan.orgId}` }],
    ...formatPlan(plan).split('\n'),
    `user grants: ${missing} to add, ${different} different, ${equal} unchanged`,
  )
}

const printResult = async (
  { values, terminal }: CommandCall,
  { orgId, plan: { counts }, userGrants }: Planned,
  imported: ImportReport,
): Promise<void> => {
  if (values['json'])
    return terminal.printJson({ applied: { orgId, counts, userGrants: toJson(imported) } })
  const { added, unchanged, refused, refusedCount } = imported
  await terminal.print(
    `${orgId}: ${counts.add} added, ${counts.update} updated; user grants: ${added} added, ${unchanged} unchanged, ${refusedCount} refused`,
  )
  for (const { index, error } of refused) {
    const { userId = '', projectId = '' } = userGrants[index] ?? {}
    await terminal.print(`refused ${userId} in ${projectId}: ${explain(error)}`)
  }
}
