import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef, ProjectId } from '../../../domain/values.js'
import type { NewEvent } from '../../../ports/event-store.js'
import type { Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/reads.js'
import type { Marks } from '../../recording/metadata.js'
import type { Runtime } from '../../runtime.js'
import type { ParsedProject } from '../declared/desired-project.js'
import { isSuperseded, marksOn } from './object-marks.js'
import { type CurrentObject, changeBy, type PendingChange, superseded } from './pending-change.js'

/** The types of objects that lie in a project. */
type ContentType = 'project_role' | 'project_grant'

/** Objects of one type in a project, by their keys in it. */
export type Rows<Type extends ContentType> = ReadonlyMap<string, Views[Type]>

/** A declared project, its index in the list, and the options of its desired state. */
export interface DeclaredProject {
  readonly desired: ParsedProject
  readonly index: number
  /** The project has never existed, so there is nothing to read of what lies in it. */
  readonly isNew: boolean
  readonly prune: boolean
  readonly marks: Marks
}

/** Reads those objects of a project whose keys are wanted. */
export const rowsIn = async <Type extends ContentType>(
  runtime: Runtime,
  wanted: { readonly type: Type; readonly orgId: string; readonly projectId: string },
  isWanted: (key: string) => boolean,
): Promise<Rows<Type>> => {
  const { type, orgId } = wanted
  const rows = new Map<string, Views[Type]>()
  for await (const row of allObjects(runtime, wanted)) {
    const key = aggregates[type].key(row, orgId)
    if (isWanted(key)) rows.set(key, row)
  }
  return rows
}

/** Objects of one type that a desired state declares for a project, and how each is planned. */
export interface DeclaredContents<Type extends ContentType, Declared>
  extends Pick<DeclaredProject, 'isNew' | 'prune' | 'marks'> {
  readonly type: Type
  readonly projectId: ProjectId
  /** By their keys in the project, in the declared order. */
  readonly declared: ReadonlyMap<string, Declared>
  /** Those of `declared` that exist, and with `prune` all others. */
  readonly rows: Rows<Type>
  /** The events that a declared object needs; `row` is absent when it does not exist. */
  readonly change: (declared: Declared, row: Views[Type] | undefined) => readonly NewEvent[]
  readonly remove: (row: Views[Type]) => readonly NewEvent[]
}

/** The changes of what lies in a project: first of what is declared, then the removals. */
export const planContents = async <Type extends ContentType, Declared>(
  runtime: Runtime,
  { orgId }: AdmittedCall,
  contents: DeclaredContents<Type, Declared>,
): Promise<readonly PendingChange[]> => {
  const { type, projectId, declared, rows, isNew, prune, marks: own, change, remove } = contents
  const refOf = (key: string): ObjectRef => aggregates[type].refOfKey(key, projectId)
  const currentOf = (key: string) => currentObject(refOf(key), rows.get(key))
  const nameOf = (key: string) => streamOf(orgId, refOf(key))
  const undeclared = prune ? [...rows].filter(([key]) => !declared.has(key)) : []
  const keys = [...declared.keys(), ...undeclared.map(([key]) => key)]
  const marks = await marksOn(runtime, own, isNew ? [] : keys.map(nameOf))

  const changes = [...declared].map(([key, each]) => {
    const found = marks.get(nameOf(key))
    const current = currentOf(key)
    if (isSuperseded(own, found)) return superseded(current)
    const planned = changeBy(change(each, rows.get(key)), current)
    return current.details ? planned : { ...planned, lastEvent: found?.lastEvent }
  })
  const removals = undeclared.flatMap(([key, row]) => {
    const found = marks.get(nameOf(key))
    if (found?.managedBy !== own.managedBy) return []
    const current = currentOf(key)
    return isSuperseded(own, found) ? superseded(current) : changeBy(remove(row), current)
  })
  return [...changes, ...removals]
}

const currentObject = (object: ObjectRef, row: Views[ContentType] | undefined): CurrentObject => {
  if (!row) return { object }
  const { details, ...values } = row
  return { object, details, values: values }
}
