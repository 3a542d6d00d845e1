import {
  aesGcmCipher,
  type Context,
  createIam,
  type Iam,
  permissionsFromCaller,
  type RecordedEvent,
} from 'claviger'
import type { OpenStore, StoreEntry } from '../stores.ts'
import {
  firstCall,
  ORG_ID,
  PROJECT_ID,
  projectIdOf,
  projectOf,
  roleOf,
  type System,
} from '../system.ts'

/** The caller of every call: permitted, in their own organization. */
export const CONTEXT = {
  caller: {
    userId: 'u1',
    orgId: ORG_ID,
    permissions: [
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'user.grant.read',
      'user.grant.write',
    ],
  },
} satisfies Context

/** This library, bound to a store. */
export const bind = ({ store, readModel }: OpenStore): Iam =>
  createIam({
    store,
    readModel,
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })

/** The full public call: permission check, validation, decision, append, outcome. */
export const claviger = (entry: StoreEntry): System => ({
  name: 'claviger',
  open: async (task) => {
    const opened = await entry.open()
    const iam = bind(opened)
    const { countEvents, close } = opened
    if (task.kind === 'add role') {
      await succeed(iam.projects.add({ ...projectOf(0, 1) }, CONTEXT))
      await hold(opened, task.held)
      const call = (index: number) => iam.projectRoles.add(roleOf(index), CONTEXT)
      return { call, countEvents, close }
    }
    const { streams } = task
    for (let stream = 0; stream < streams; stream++) {
      await succeed(
        iam.projects.add({ ...projectOf(0, 1), id: projectIdOf(stream), name: 'New' }, CONTEXT),
      )
    }
    const first = firstCall(task)
    const update = (index: number) => iam.projects.update(projectOf(index, streams), CONTEXT)
    for (let index = 0; index < first; index += streams) {
      await Promise.all(Array.from({ length: streams }, (_, offset) => update(index + offset)))
    }
    return { call: (index) => update(first + index), countEvents, close }
  },
})

const succeed = async (result: ReturnType<Iam['projects']['add'] | Iam['projectRoles']['add']>) => {
  const outcome = await result
  if (outcome.isErr()) throw new Error(outcome.error.kind)
}

/** Events restored at once. */
const BATCH_SIZE = 10_000

/** Adds `count` roles of earlier days to the store. */
export const hold = async ({ store }: OpenStore, count: number): Promise<void> => {
  const last = (await store.lastPosition()) + 1n
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, count - from)
    await store.restore(Array.from({ length }, (_, offset) => heldEvent(last, from + offset)))
  }
}

const heldEvent = (last: bigint, index: number): RecordedEvent => ({
  type: 'project_role.added',
  schemaVersion: 1,
  data: { ...roleOf(index), roleKey: `held-${index}` },
  appendId: `01HELD${String(index).padStart(20, '0')}`,
  stream: `project_role-${ORG_ID}+${PROJECT_ID}+held-${index}`,
  version: 1,
  position: last + BigInt(index),
  metadata: { actor: { userId: 'u1', orgId: ORG_ID }, resourceOwner: ORG_ID },
})
