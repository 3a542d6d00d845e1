import type { Context, Iam, RecordedEvent } from 'claviger'
import type { OpenStore } from '../stores.ts'
import {
  grantOf,
  HELD_ROLE,
  ORG_ID,
  type Place,
  PROJECTS,
  projectIdOf,
  ROLE_KEYS,
} from '../world.ts'

/** Stands in the events that are copied where each copy has an id of its own. */
const SEED = 'seed0'
/** Events restored at once. */
const BATCH_SIZE = 10_000

/**
 * Fills a store with what `place` says: objects are recorded once through the library, and their events copied. The
 * read model is left behind.
 */
export const fill = async (
  iam: Iam,
  { store }: OpenStore,
  place: Place,
  context: Context,
): Promise<void> => {
  const { idpId } = await addSeeds(iam, context)
  const seeds = await store.readAll(0n, 1_000)
  const streamWith = (stream: string, seed = SEED) => {
    const event = seeds.find((each) => each.stream.includes(stream))
    if (!event) throw new Error(`No event of ${stream} was recorded`)
    return copierOf(event, seed)
  }
  const grants = new Map(
    Array.from({ length: PROJECTS }, (_, project) => {
      const projectId = projectIdOf(project)
      return [projectId, streamWith(`user_grant-${ORG_ID}+${ORG_ID}+${projectId}+${SEED}`)]
    }),
  )
  const others = [
    streamWith(`project-${ORG_ID}+${SEED}`),
    streamWith(`project_role-${ORG_ID}+${projectIdOf(0)}+${SEED}`),
    streamWith(`project_grant-${ORG_ID}+${projectIdOf(0)}+${SEED}`),
    streamWith(`domain-${ORG_ID}+${SEED}`),
    streamWith(`identity_provider-${ORG_ID}+`, idpId),
  ]

  let position = await store.lastPosition()
  let batch: RecordedEvent[] = []
  const put = async (copy: ReturnType<typeof copierOf> | undefined, id: string) => {
    if (!copy) throw new Error('There is nothing to copy')
    batch.push(copy(id, ++position))
    if (batch.length < BATCH_SIZE) return
    await store.restore(batch)
    batch = []
  }
  for (let index = 0; index < place.grants; index++) {
    const { userId, projectId } = grantOf(index)
    await put(grants.get(projectId), userId)
  }
  for (let index = 0; index < (place.others ?? 0); index++) {
    for (const copy of others) await put(copy, `item${index}`)
  }
  if (batch.length > 0) await store.restore(batch)
}

/** One object of each type, and a user with a role in each project. */
const addSeeds = async (iam: Iam, context: Context): Promise<{ readonly idpId: string }> => {
  const roles = [{ roleKey: HELD_ROLE }]
  for (let project = 0; project < PROJECTS; project++) {
    const projectId = projectIdOf(project)
    const added = await iam.projects.add({ id: projectId, name: projectId }, context)
    if (added.isErr()) throw new Error(added.error.kind)
    for (const roleKey of ROLE_KEYS) {
      await iam.projectRoles.add({ projectId, roleKey, displayName: roleKey }, context)
    }
    await iam.userGrants.add({ userId: SEED, projectId, roles }, context)
  }
  const projectId = projectIdOf(0)
  await iam.projects.add({ id: SEED, name: SEED }, context)
  await iam.projectRoles.add({ projectId, roleKey: SEED, displayName: SEED }, context)
  await iam.projectGrants.add({ projectId, grantedOrgId: SEED, roleKeys: [HELD_ROLE] }, context)
  await iam.domains.add({ domain: `${SEED}.example` }, context)
  const provider = {
    name: 'Provider',
    issuer: 'https://example.com',
    clientId: 'client',
    clientSecret: 'secret',
  }
  const added = await iam.identityProviders.addOidc(provider, context)
  if (added.isErr()) throw new Error(added.error.kind)
  return added.value
}

/** Makes copies of `event` that have another id wherever it has `seed`. */
const copierOf = ({ data, stream, ...event }: RecordedEvent, seed: string) => {
  const dataText = JSON.stringify(data)
  const type = stream.slice(0, stream.indexOf('-'))
  const ids = stream.slice(type.length + 1)
  return (id: string, position: bigint): RecordedEvent => ({
    ...event,
    data: JSON.parse(dataText.replaceAll(seed, id)),
    stream: `${type}-${ids.replace(seed, id)}`,
    appendId: `01HELD${String(position).padStart(20, '0')}`,
    position,
  })
}
