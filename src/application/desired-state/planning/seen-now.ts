import type { ObjectRef } from '../../../domain/values.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/events/kind-of.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/all-objects.js'
import type { Runtime } from '../../runtime.js'

/** Those of `objects` that are there now, by the names of their streams. */
export const seenNow = async (
  runtime: Runtime,
  call: AdmittedCall,
  objects: readonly ObjectRef[],
): Promise<ReadonlyMap<string, Views[ViewType]>> => {
  const { orgId } = call
  const wanted = new Set<string>(objects.map((object) => streamOf(orgId, object)))
  const seen = new Map<string, Views[ViewType]>()
  const see = (object: ObjectRef, row: Views[ViewType] | undefined) => {
    const stream = streamOf(orgId, object)
    if (row && wanted.has(stream)) seen.set(stream, row)
  }

  await runtime.follow({ ...call, consistency: 'strong' })
  for (const object of objects)
    if (object.type !== 'project_role')
      see(object, await fromPort(() => runtime.readModel.get(orgId, object)))
  for (const projectId of projectsOfRoles(objects))
    for await (const row of allObjects(runtime, { type: 'project_role', orgId, projectId }))
      see({ type: 'project_role', projectId, roleKey: row.roleKey }, row)
  return seen
}

const projectsOfRoles = (objects: readonly ObjectRef[]): ReadonlySet<string> =>
  new Set(objects.flatMap((object) => (object.type === 'project_role' ? [object.projectId] : [])))
