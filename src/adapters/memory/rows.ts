import { byType } from '../../domain/aggregates.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { type Row, withinOf } from '../../projections/project.js'
import { projectIn, providerIn } from '../../projections/replace-fact.js'
import { getOrAdd, rowKeyOf } from '../../projections/rows.js'
import { SortedMap } from '../../projections/sorted-map.js'
import { exists, type Thing, type World } from '../../projections/world.js'

/** The rows of all objects, also of those whose project or provider is gone: by type and scope, then by section. */
export type Rows = Readonly<Record<ViewType, Map<string, SortedMap<Section>>>>

/** Objects in the same project and of the same provider, which follow each other in lists and are removed with them. */
export interface Section {
  /** The project and the provider. */
  readonly within: readonly Thing[]
  /** By key, which begins with the key of the section. */
  readonly rows: SortedMap<StoredRow>
}

/** A row, with the object as its last event recorded it once a list has looked at it. */
export interface StoredRow {
  readonly ref: ObjectRef
  readonly row: Row
  view: Views[ViewType] | undefined
}

/** No rows yet. */
export const emptyRows = (): Rows => byType(() => new Map())

/** Where the row of an object is, or would be. */
export const placeIn = (
  rows: Rows,
  world: World,
  orgId: string,
  ref: ObjectRef,
): { readonly section: Section; readonly key: string } => {
  const { scope, key } = rowKeyOf(orgId, ref)
  const ofScope = getOrAdd(rows[ref.type], scope, () => new SortedMap<Section>())
  const section = ofScope.getOrAdd(sectionOf(ref.type, key), () => ({
    within: withinOf(ref, orgId).map((whole) =>
      whole.type === 'project'
        ? projectIn(world, whole.orgId, whole.id)
        : providerIn(world, whole.orgId, whole.idpId),
    ),
    rows: new SortedMap<StoredRow>(),
  }))
  return { section, key }
}

export const findRow = (rows: Rows, orgId: string, ref: ObjectRef): Row | undefined => {
  const { scope, key } = rowKeyOf(orgId, ref)
  const section = rows[ref.type].get(scope)?.get(sectionOf(ref.type, key))
  return section && isThere(section) ? section.rows.get(key)?.row : undefined
}

/** Whether the objects of a section exist. */
export const isThere = ({ within }: Section): boolean => within.every((whole) => exists(whole))

/** The part of a key that names the project and the provider. */
export const sectionOf = (type: ViewType, key: string): string => {
  let end = 0
  for (let left = PARTS[type]; left > 0; left--) end = key.indexOf('+', end) + 1
  return key.slice(0, end)
}

/** How many ids come before the last one in the key of an object. A resource is a part of its project's id. */
const PARTS = byType(({ ids, container }) =>
  container ? 0 : Object.keys(ids.shape).filter((name) => name !== 'resource').length - 1,
)
