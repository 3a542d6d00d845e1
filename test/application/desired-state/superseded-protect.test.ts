import { expect, it } from 'vitest'
import { context, good, start } from '../host.js'

it('An older version protects no role in a project that a newer one has lifted', async () => {
  const { iam } = start()
  const declared = (version: number, protect: boolean, roleKeys: readonly string[]) => ({
    managedBy: 'code',
    version,
    protect,
    projects: [
      {
        id: 'portal',
        name: 'Portal',
        roles: roleKeys.map((roleKey) => ({ roleKey, displayName: roleKey })),
      },
    ],
  })
  await good(iam.apply(declared(2, true, ['editor']), context))
  await good(iam.apply(declared(2, false, ['editor']), context))
  await good(iam.apply(declared(1, true, ['editor', 'old']), context))
  const project = await good(iam.projects.get({ id: 'portal' }, context))
  const old = await good(iam.projectRoles.get({ projectId: 'portal', roleKey: 'old' }, context))
  expect({ project: project.protectedBy, old: old.protectedBy }).not.toEqual({
    project: undefined,
    old: 'code',
  })
})
