import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { jsonBytes } from '../../domain/encoding.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import { MAX_APPEND_BYTES, MAX_WRITES } from '../../ports/event-store.js'
import type { WriteError } from '../errors/errors.js'
import { grantQuestion, type PermitRoles, rolePermits } from '../grant-rules/current-roles.js'
import { decideUserGrant, readCurrentRoles } from '../grant-rules/decide-user-grant.js'
import {
  type ImportProgress,
  type ImportReport,
  importRows,
  type RowResult,
} from '../import-rows.js'
import type { AdmittedCall, LongContext } from '../method/context.js'
import type { Rows } from '../method/input.js'
import type { StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { type ParsedUserGrant, UserGrantRolesInput } from './user-grant-input.js'

/** Grants to users: a list, a generator, or rows of a file as it is read. */
export interface ImportUserGrantsInput {
  /** Any number of rows, read at most 1,000 at a time. */
  readonly grants: Iterable<UserGrantRolesInput> | AsyncIterable<UserGrantRolesInput>
}

/**
 * Adds grants to users in batches of at most 1,000 rows, each batch in one append. A row whose grant exists and is equal
 * is skipped. A row that would change a grant, or gives a role that cannot be given, is refused.
 */
export const importUserGrants = (
  runtime: Runtime,
  call: AdmittedCall,
  { grants }: { readonly grants: Rows },
  onProgress: LongContext<ImportProgress>['onProgress'],
): Promise<Result<ImportReport, WriteError>> => {
  const permit = rolePermits(runtime, call)
  return importRows(
    grants,
    {
      schema: UserGrantRolesInput,
      newBatch: () => appendCounter(call.orgId),
      importBatch: (rows) => importBatch(runtime, call, { rows, permit }),
      onProgress,
    },
    { ...runtime, signal: call.signal },
  )
}

/** Most bytes of a grant's event besides its row: the project, and the generations of each role. */
const PROJECT_BYTES = 600
const GENERATION_BYTES = 60

/** Counts the streams that rows write and guard, and their bytes: whether they fit into one append. */
const appendCounter = (orgId: string) => {
  const streams = new Set<string>()
  let bytes = 0
  return (row: ParsedUserGrant): boolean => {
    const { projectId, projectOrgId = orgId, roles } = row
    const project = `${projectOrgId}+${projectId}`
    streams.add(userGrants.stream(orgId, row)).add(project)
    if (projectOrgId !== orgId) streams.add(`${project}+`)
    for (const { roleKey } of roles) streams.add(`${project} ${roleKey}`)
    bytes += jsonBytes(row) + PROJECT_BYTES + GENERATION_BYTES * roles.length
    return streams.size <= MAX_WRITES && bytes <= MAX_APPEND_BYTES
  }
}

/** The decision on one row. */
interface Decided {
  /** `alone` for a row that needs an append of its own. */
  readonly result: RowResult | 'alone'
  readonly change?: StreamChange
}

interface ImportBatch {
  readonly rows: readonly ParsedUserGrant[]
  readonly permit: PermitRoles
}

const importBatch = async (
  runtime: Runtime,
  call: AdmittedCall,
  { rows, permit }: ImportBatch,
): Promise<Result<readonly RowResult[], WriteError>> => {
  const appended = await appendRows(runtime, call, { rows, permit, isAlone: false })
  if (appended.isErr()) return err(appended.error)
  const results: RowResult[] = []
  for (const [index, result] of appended.value.entries()) {
    const row = rows[index]
    if (result !== 'alone') results.push(result)
    else if (row) {
      const alone = await appendRows(runtime, call, { rows: [row], permit, isAlone: true })
      if (alone.isErr()) return err(alone.error)
      results.push(...alone.value.filter((each) => each !== 'alone'))
    }
  }
  return ok(results)
}

const appendRows = (
  runtime: Runtime,
  call: AdmittedCall,
  { rows, permit, isAlone }: ImportBatch & Pick<Deciding, 'isAlone'>,
): Promise<Result<readonly Decided['result'][], WriteError>> =>
  transact(runtime, call, {
    decide: async (streams) => {
      const now = runtime.now()
      const deciding = { call, now, permit, isAlone }
      const alone = await Promise.all(rows.map((row) => decideRow(streams, deciding, row)))
      // An append writes a stream once: of several rows with the same grant, the first that can be added is.
      const added = new Map<string, ParsedUserGrant>()
      const decided = alone.map((decision, index): Decided => {
        const row = rows[index]
        if (!row) throw new Error('Every decision is one on a row')
        const stream = userGrants.stream(call.orgId, row)
        const first = added.get(stream)
        if (first) return existingResult(call, row, first.roles.map(asRecorded))
        if (decision.change) added.set(stream, row)
        return decision
      })
      const changes = decided.flatMap(({ change }) => change ?? [])
      return ok({ changes, results: decided.map(({ result }) => result) })
    },
    answer: ({ decided: { results } }) => results,
  })

/** Decides on a row as if it were the only one. */
const decideRow = async (
  streams: Streams,
  { call, now, permit, isAlone }: Deciding,
  row: ParsedUserGrant,
): Promise<Decided> => {
  const cached = await streams.read(userGrants, row, { load: 'assume-empty' })
  if (exists(cached.state)) {
    // The roles of an unchanged grant guard nothing, because they might not fit into the append.
    const roles = await readCurrentRoles(latest(streams), row)
    if (roles && roles.length > 0) return existingResult(call, row, roles)
    // The ended roles of the grant guard its append; together with other rows they might not fit.
    if (!isAlone) return { result: 'alone' }
  }
  const decision = await decideUserGrant(streams, { type: 'AddUserGrant', ...row }, now)
  const { orgId } = call
  const roleKeys = row.roles.map(({ roleKey }) => roleKey)
  const answer = await permit(grantQuestion(userGrants, { input: row, orgId, roleKeys }))
  if (answer.isErr()) return { result: answer.error }
  return decision.isOk() ? { result: 'added', change: decision.value } : { result: decision.error }
}

/** Shared by the decisions on all rows of a batch. */
interface Deciding {
  readonly call: AdmittedCall
  readonly now: Date
  readonly permit: PermitRoles
  /** Whether the row is the only one of its append. */
  readonly isAlone: boolean
}

/** `streams` read from the store; they do not guard the append. */
const latest = (streams: Streams): Streams => ({
  orgId: streams.orgId,
  read: (aggregate, ids, options) =>
    streams.read(aggregate, ids, { ...options, load: 'latest', guard: false }),
})

type RecordedRole = Pick<UserGrantRole, 'roleKey' | 'expiresAt'>

const asRecorded = ({ roleKey, expiresAt }: ParsedUserGrant['roles'][number]): RecordedRole => ({
  roleKey,
  expiresAt: expiresAt?.toISOString(),
})

/** The result of a row whose grant exists, with roles `held`. */
const existingResult = (
  { orgId }: AdmittedCall,
  row: ParsedUserGrant,
  held: readonly RecordedRole[],
): Decided => {
  const ends = new Map(held.map(({ roleKey, expiresAt }) => [roleKey, { expiresAt }]))
  const isEqual =
    row.roles.length === held.length &&
    row.roles
      .map(asRecorded)
      .every(
        (role) => ends.get(role.roleKey)?.expiresAt === role.expiresAt && ends.has(role.roleKey),
      )
  if (isEqual) return { result: 'unchanged' }
  const object = userGrants.ref({ ...row, projectOrgId: row.projectOrgId ?? orgId })
  return { result: { kind: 'AlreadyExists', object } }
}
