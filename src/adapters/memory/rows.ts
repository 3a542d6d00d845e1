import type { ObjectRef, StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import type { Change } from '../../projections/history-view.js'
import type { KnownEvent } from '../../projections/known-event.js'

/** The rows of one type: by organization, or by project for roles; then by their own id or key. */
export type Buckets<Row> = Map<string, Map<string, Row>>

/** An event and what it did, from which its entry in the history is made when somebody asks. */
export interface Past extends Change {
  readonly event: KnownEvent
}

/** All that a read model in memory knows. What one organization asks never meets another's rows. */
export interface Kept {
  checkpoint: Position
  readonly rows: { readonly [Type in ViewType]: Buckets<Views[Type]> }
  /** Oldest first. */
  readonly pastOfOrganizations: Map<string, Past[]>
  /** Oldest first. */
  readonly pastOfObjects: Map<StreamId, Past[]>
}

/** What is known before the first event. */
export const nothingKept = (): Kept => ({
  checkpoint: 0n,
  rows: { identity_provider: new Map(), project: new Map(), project_role: new Map() },
  pastOfOrganizations: new Map(),
  pastOfObjects: new Map(),
})

/** Names the bucket of a project's roles; ids hold no `+`. */
export const rolesOf = (orgId: string, projectId: string): string => `${orgId}+${projectId}`

/** The bucket of an object, and its key there. */
export const placeOf = (orgId: string, ref: ObjectRef): readonly [bucket: string, key: string] => {
  switch (ref.type) {
    case 'identity_provider':
      return [orgId, ref.idpId]
    case 'project':
      return [orgId, ref.id]
    case 'project_role':
      return [rolesOf(orgId, ref.projectId), ref.roleKey]
  }
}

/** A copy of `row`, so that no reader can alter what is kept; dates cannot be frozen. */
export const copyOf = <Row extends Views[ViewType]>(row: Row): Row => {
  const { creationDate, changeDate } = row.details
  return {
    ...row,
    details: {
      ...row.details,
      creationDate: new Date(creationDate),
      changeDate: new Date(changeDate),
    },
  }
}
