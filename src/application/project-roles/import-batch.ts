import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { projectRole } from '../../domain/project-role/decider.js'
import { projectRoles } from '../../domain/project-role/kind.js'
import type { AlreadyExists } from '../../domain/refusals.js'
import type { ProjectId, RoleKey } from '../../domain/values.js'
import type { IamError, InvalidArgument } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { record, type StreamRecord } from '../recording/snapshot.js'
import { transact } from '../recording/transact.js'
import type { View } from '../recording/view.js'
import type { Runtime } from '../runtime.js'
import { missingContainer } from '../writing/missing-container.js'
import type { AddedRole } from './add-project-roles.js'

/** A row as parsed when the source yielded it, and its index among all rows, from 0. */
export interface Row {
  readonly index: number
  readonly parsed: Result<AddedRole, InvalidArgument>
}

/** A row that was not imported: it is malformed, or the role exists and differs. */
export interface RefusedRow {
  /** From 0. */
  readonly index: number
  /** What is malformed, or which role exists already. */
  readonly error: InvalidArgument | AlreadyExists
}

/** How many rows of a batch were added or equal, and which were refused. */
export interface BatchReport {
  readonly added: number
  readonly unchanged: number
  readonly refused: readonly RefusedRow[]
}

/** A well-formed row. */
interface Candidate {
  readonly index: number
  readonly role: AddedRole
}

/** A role as it is after the batch. */
interface Imported {
  readonly shown: Pick<AddedRole, 'displayName' | 'group'>
  /** Index of the row that adds it; undefined when the role existed before. */
  readonly addedBy: number | undefined
  readonly record: StreamRecord
}

/** Adds the roles of the well-formed rows that do not exist yet, in one append. */
export const importBatch = (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, rows }: { readonly projectId: ProjectId; readonly rows: readonly Row[] },
): Promise<Result<BatchReport, IamError>> => {
  const candidates = rows.flatMap(({ index, parsed }) =>
    parsed.isOk() ? { index, role: parsed.value } : [],
  )
  const malformed = rows.flatMap(({ index, parsed }) =>
    parsed.isErr() ? { index, error: parsed.error } : [],
  )
  return transact(runtime, call, {
    decide: (view) => {
      const missing = missingContainer(view, projectRoles, { projectId })
      if (missing) return err(missing)
      const roles = rolesAfter(view, projectId, candidates)
      return ok({ roles, records: [...roles.values()].map((imported) => imported.record) })
    },
    answer: ({ decided: { roles } }) => {
      const refused: RefusedRow[] = [...malformed]
      let added = 0
      for (const candidate of candidates) {
        const imported = roles.get(candidate.role.roleKey)
        if (imported?.addedBy === candidate.index) added++
        else if (!isEqual(candidate.role, imported?.shown))
          refused.push(refusal(projectId, candidate))
      }
      refused.sort((one, other) => one.index - other.index)
      return { added, unchanged: rows.length - added - refused.length, refused }
    },
  })
}

/** An append may write a stream only once, so the first of several rows with the same key adds the role. */
const rolesAfter = (
  view: View,
  projectId: ProjectId,
  candidates: readonly Candidate[],
): ReadonlyMap<RoleKey, Imported> => {
  const roles = new Map<RoleKey, Imported>()
  for (const { index, role } of candidates) {
    if (roles.has(role.roleKey)) continue
    const data = { projectId, ...role }
    const before = view.readNew(projectRoles, data)
    const decision = projectRole.decide({ type: 'AddProjectRole', data }, before.state)
    roles.set(
      role.roleKey,
      exists(before.state)
        ? { shown: before.state, addedBy: undefined, record: record(before, []) }
        : { shown: role, addedBy: index, record: record(before, decision.unwrapOr([])) },
    )
  }
  return roles
}

const isEqual = (role: AddedRole, shown: Imported['shown'] | undefined): boolean =>
  shown?.displayName === role.displayName && shown.group === role.group

const refusal = (projectId: ProjectId, { index, role }: Candidate): RefusedRow => {
  const object = { type: 'project_role', projectId, roleKey: role.roleKey } as const
  return { index, error: { kind: 'AlreadyExists', object } }
}
