import { ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import { MAX_WRITES } from '../../ports/event-store.js'
import type { WriteError } from '../errors/errors.js'
import { decideUserGrant, livingGrant } from '../granting/decide-user-grant.js'
import {
  type ImportProgress,
  type ImportReport,
  importRows,
  type RowResult,
  Rows,
} from '../import-rows.js'
import type { AdmittedCall } from '../method/context.js'
import { type LongWrite, longWrite } from '../method/method.js'
import type { StreamRecord } from '../recording/snapshot.js'
import { transact } from '../recording/transact.js'
import type { View } from '../recording/view.js'
import type { Runtime } from '../runtime.js'
import { GivenUserGrant, type ParsedUserGrant } from './user-grant-input.js'

/** Grants to users: a list, a generator, or rows of a file as it is read. */
export interface ImportUserGrantsInput {
  /** Any number of rows, read at most 1,000 at a time. */
  readonly grants: Iterable<GivenUserGrant> | AsyncIterable<GivenUserGrant>
}

const Input = z.strictObject({ grants: Rows })

/**
 * The method that adds grants to users in batches of at most 1,000 rows, each batch in one append. A row whose grant
 * exists and is equal is skipped. A row that would change a grant, or gives what cannot be given, is refused.
 */
export const importUserGrants = (
  runtime: Runtime,
): LongWrite<ImportUserGrantsInput, ImportProgress, ImportReport> =>
  longWrite(
    runtime,
    {
      method: 'userGrants.import',
      permissions: ['user.grant.read', 'user.grant.write'],
      schema: Input,
    },
    async (call, { grants }, onProgress) =>
      importRows(
        grants,
        {
          schema: GivenUserGrant,
          newBatch: () => streamCounter(call.orgId),
          importBatch: (rows) => importBatch(runtime, call, rows),
          onProgress,
        },
        call.signal,
      ),
  )

/** Whether the streams that rows write and guard fit into one append. */
const streamCounter = (orgId: string) => {
  const streams = new Set<string>()
  return (row: ParsedUserGrant): boolean => {
    const { projectId, projectOrgId = orgId, roles } = row
    const project = `${projectOrgId}+${projectId}`
    streams.add(userGrants.stream(orgId, row)).add(project)
    if (projectOrgId !== orgId) streams.add(`${project}+`)
    for (const { roleKey } of roles) streams.add(`${project} ${roleKey}`)
    return streams.size <= MAX_WRITES
  }
}

/** What is decided on one row. */
interface Decided {
  readonly result: RowResult
  readonly record?: StreamRecord
}

const importBatch = (
  runtime: Runtime,
  call: AdmittedCall,
  rows: readonly ParsedUserGrant[],
): Promise<Result<readonly RowResult[], WriteError>> =>
  transact(runtime, call, {
    decide: (view) => {
      const now = runtime.now()
      const added = new Map<string, ParsedUserGrant>()
      const decided = rows.map((row): Decided => {
        const stream = userGrants.stream(call.orgId, row)
        const first = added.get(stream)
        // An append writes a stream once: of several rows with the same grant, the first that can be added is.
        if (first) return kept(call, row, first.roles.map(asRecorded))
        // The roles of a grant that stays as it is guard nothing: they might not fit into the append.
        const found = exists(view.readNew(userGrants, row).state)
        const state = found && livingGrant(glancing(view), row).state
        if (state && exists(state) && state.roles.length > 0) return kept(call, row, state.roles)
        const decision = decideUserGrant(view, { type: 'AddUserGrant', ...row }, now)
        if (decision.isErr()) return { result: decision.error }
        added.set(stream, row)
        return { result: 'added', record: decision.value }
      })
      const records = decided.flatMap(({ record }) => record ?? [])
      return ok({ records, results: decided.map(({ result }) => result) })
    },
    answer: ({ decided: { results } }) => results,
  })

type RecordedRole = Pick<UserGrantRole, 'roleKey' | 'expiresAt'>

const asRecorded = ({ roleKey, expiresAt }: ParsedUserGrant['roles'][number]): RecordedRole => ({
  roleKey,
  expiresAt: expiresAt?.toISOString(),
})

/** The result of a row whose grant exists, with roles `held`. */
const kept = (
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
  const object = userGrants.ref({ projectOrgId: orgId, ...row })
  return { result: { kind: 'AlreadyExists', object } }
}

/** `view`, of which everything that is read may change. */
const glancing = (view: View): View => {
  const glance: View['read'] = (kind, ids, orgId) => view.glance(kind, ids, orgId)
  return { orgId: view.orgId, read: glance, readNew: glance, glance, lastSeen: glance }
}
