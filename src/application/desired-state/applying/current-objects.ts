import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { allObjects } from '../../reading/reads.js'
import type { Runtime } from '../../runtime.js'
import type { DeclaredType } from '../declared/declared-type.js'

/** An object that can be declared. */
type Declared = Views[DeclaredType]

/** Those of `objects` that exist and can be declared, by the names of their streams. */
export const currentObjects = async (
  runtime: Runtime,
  call: AdmittedCall,
  objects: readonly ObjectRef[],
): Promise<ReadonlyMap<string, Declared>> => {
  const { orgId } = call
  const wanted = new Set(objects.map((object) => streamOf(orgId, object)))
  const rows = new Map<string, Declared>()
  const add = (object: ObjectRef, row: Declared | undefined) => {
    const stream = streamOf(orgId, object)
    if (row && wanted.has(stream)) rows.set(stream, row)
  }

  await runtime.follow({ ...call, consistency: 'strong' })
  const projectsOf = { project_role: new Set<string>(), project_grant: new Set<string>() }
  for (const object of objects)
    if (object.type === 'project_role' || object.type === 'project_grant')
      projectsOf[object.type].add(object.projectId)
    else if (object.type === 'project' || object.type === 'identity_provider')
      add(object, await fromPort(() => runtime.readModel.get(orgId, object)))
  for (const type of ['project_role', 'project_grant'] as const)
    for (const projectId of projectsOf[type])
      for await (const row of allObjects(runtime, { type, orgId, projectId }))
        add(aggregates[type].ref(row), row)
  return rows
}
