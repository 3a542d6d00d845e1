import type { Iam } from 'claviger'
import { PROJECT_DEFAULTS } from '../defaults.ts'

const context = (idempotencyKey: string) => ({
  caller: { userId: 'u1', orgId: 'acme' },
  idempotencyKey,
})

/** The commands of a writer, in turn: its own objects, then some that all writers fight for. */
export const command = (iam: Iam, name: string, n: number) => {
  const key = `${name}-${n}`
  switch (n % 4) {
    case 0:
      return iam.projects.add({ id: key, name: key }, context(key))
    case 1: {
      const roles = ['a', 'b', 'c'].map((roleKey) => ({ roleKey, displayName: key }))
      return iam.projectRoles.addMany({ projectId: `${name}-${n - 1}`, roles }, context(key))
    }
    case 2:
      return iam.projects.update({ ...PROJECT_DEFAULTS, id: 'shared', name: key }, context(key))
    default: {
      const role = { projectId: 'shared', roleKey: `role-${n}`, displayName: key }
      return iam.projectRoles.add(role, context(key))
    }
  }
}
