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
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import {
  type Command,
  type CommandCall,
  type ExitCode,
  explain,
  Failed,
  readBytes,
  UsageError,
} from '../command.js'
import {
  addressOf,
  contextOf,
  DATABASE,
  KEYS,
  openCipher,
  openDatabase,
  openIam,
  RECORDING,
  writingContextOf,
} from '../database.js'
import { printReport, printWarnings } from '../import-report.js'

export const importCommand: Command = {
  help: `Usage: claviger import zitadel|keycloak|better-auth FILE… [options]

Imports from another system: reads the files of an export together, shows the
changes and what is left out, then applies it. Running it again changes nothing.
Exits with 2 when changes are pending with --dry-run, or user grants were
refused, and with 1 when a file is not a whole export.

  --db ADDRESS     SQLite file, or postgres://…; else CLAVIGER_DB
  --schema NAME    schema of PostgreSQL; default: claviger
  --create         creates a missing database
  --dry-run        shows the changes, and records nothing
  --report         lists by kind what was carried, changed and left;
                   without a database, it only reads the files
  --without-users  takes an export of Keycloak that has no users
  --user USER      the actor in the history; default: claviger-cli
  --reason TEXT    why; shown in the history
  --keys FILE      keys that encrypt secrets; else CLAVIGER_KEYS_FILE
  --json           plans, warnings and results as lines of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    ...RECORDING,
    create: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    report: { type: 'boolean' },
    'without-users': { type: 'boolean' },
  },
  positionals: [2, 100],
  run: async (call) => {
    const { values } = call
    const imported = await readExport(call)
    if (values['report'] && addressOf(call) === undefined) {
      await printReport(call, imported)
      return 0
    }
    const code = await importAll(call, imported)
    if (values['report']) await printReport(call, imported)
    return code
  },
}

const importAll = async (
  call: CommandCall,
  { organizations, warnings }: Imported,
): Promise<ExitCode> => {
  const { values } = call
  const cipher = await openCipher(call)
  if (!cipher && organizations.some(({ access }) => access.identityProviders?.length))
    throw new Failed('Identity providers have secrets to encrypt: give --keys FILE')
  await using database = await openDatabase(call, { create: values['create'] === true })
  const iam = openIam(database, cipher)
  await printWarnings(call, warnings)
  const planned = await planAll(call, iam, organizations)
  if (values['dry-run']) return planned.some(({ isPending }) => isPending) ? 2 : 0
  return (await applyAll(call, iam, planned)) > 0 ? 2 : 0
}

const READERS: Readonly<Record<string, (files: readonly Uint8Array[]) => Imported>> = {
  zitadel: readZitadelExport,
  keycloak: readKeycloakRealm,
  'better-auth': readBetterAuth,
}

/** Reads the files together. The paths of warnings begin with the file, if there are several. */
const readExport = async ({ positionals, values }: CommandCall): Promise<Imported> => {
  const [source = '', ...files] = positionals
  const read = Object.hasOwn(READERS, source) ? READERS[source] : undefined
  if (!read) throw new UsageError(`Unknown source ${source}`)
  const { organizations, warnings } = read(await Promise.all(files.map(readBytes)))
  for (const { kind, path, message } of warnings) {
    const file = files[Number(/^\[(\d+)\]/.exec(path)?.[1])] ?? files.join(', ')
    if (/^(\[\d+\])*$/.test(path)) throw new Failed(`${file} was not imported: ${message}`)
    if (kind === 'UsersMissing' && !values['without-users'])
      throw new Failed(`${file} was not imported: ${message}. --without-users imports the rest`)
  }
  const located = warnings.map((warning) => ({ ...warning, path: pathIn(files, warning.path) }))
  return { organizations, warnings: located }
}

/** A path within the list of files, as one within a file. */
const pathIn = (files: readonly string[], path: string): string => {
  const [, index = '', rest = ''] = /^\[(\d+)\]\.?(.*)$/s.exec(path) ?? []
  return files.length === 1 ? rest : `${files[Number(index)]}: ${rest}`
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
  resource,
}: Pick<UserGrantRolesInput, 'userId' | 'projectId' | 'projectOrgId' | 'resource'>): string =>
  JSON.stringify([projectOrgId, projectId, resource, userId])

const rolesOf = ({ roles }: Pick<UserGrantRolesInput | UserGrant, 'roles'>): string =>
  String(
    roles.map(({ roleKey, expiresAt }) => JSON.stringify([roleKey, expiresAt ?? null])).toSorted(),
  )

const printPlan = async (
  { values, terminal }: CommandCall,
  plan: Plan,
  userGrants: ComparedGrants,
): Promise<void> => {
  if (values['json']) {
    // This run applies the plan itself, so the desired state, with its sealed secrets, is not printed.
    const { desired: _, changes, ...rest } = plan
    const printed = changes.map(({ action, object, fields }) => ({ action, object, fields }))
    return terminal.printJson({ plan: toJson({ ...rest, changes: printed }), userGrants })
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
