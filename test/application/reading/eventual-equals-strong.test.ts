import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel, type ReadModel } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { addSamples, context, good, type Iam, iamOn } from '../host.js'
import { type Method, reads } from '../method/methods.js'

/** Two processes on the same events, and the read model that the second one reads. */
interface Processes {
  readonly writer: Iam
  readonly reader: Iam
  readonly readModel: ReadModel
}

const inMemory = (): Processes => {
  const store = memoryEventStore()
  const readModel = memoryReadModel()
  return { writer: iamOn(store), reader: iamOn(store, { readModel }), readModel }
}

const inOneFile = (): Processes => {
  const path = temporaryFile()
  const [one, other] = [openSqlite(path), openSqlite(path)]
  onTestFinished(async () => {
    await one.close()
    await other.close()
  })
  return { writer: iamOn(one.store, one), reader: iamOn(other.store, other), ...other }
}

const google = { idpId: 'google' }
const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }

/** Changes what each of {@link reads} answers. */
const change = async ({ identityProviders, projects, projectRoles }: Iam) => {
  const oidc = { ...google, clientId: 'client-2', clientSecret: 'rotated', issuer: 'i' }
  await good(identityProviders.patch(oidc, context))
  await good(projects.patch({ ...portal, name: 'Renamed', projectRoleCheck: true }, context))
  await good(projectRoles.patch({ ...editor, displayName: 'Renamed' }, context))
}

const removals: readonly (readonly [string, (iam: Iam) => Promise<void>])[] = [
  [
    'each of them',
    async ({ identityProviders, projects, projectRoles }) => {
      await good(projectRoles.remove(editor, context))
      await good(projects.remove(portal, context))
      await good(identityProviders.remove(google, context))
    },
  ],
  [
    'a role by its project',
    async ({ identityProviders, projects }) => {
      await good(projects.remove(portal, context))
      await good(identityProviders.remove(google, context))
    },
  ],
]

const answers = async (iam: Iam, consistency: 'eventual' | 'strong') => {
  const ask = async ({ name, of, input }: Method) =>
    [name, await of(iam)(input, { ...context, consistency })] as const
  return new Map(await Promise.all(reads.map(ask)))
}

describe.each([
  ['in memory', inMemory],
  ['in one SQLite file', inOneFile],
])('An eventual read %s answers as a strong one', (_, open) => {
  it.each(removals)('once caught up after a change and the removal of %s.', async (_, remove) => {
    const { writer, reader, readModel } = open()
    await addSamples(writer)
    let before = await answers(reader, 'strong')
    for (const write of [change, remove]) {
      await write(writer)
      await good(reader.catchUp(readModel))
      const eventual = await answers(reader, 'eventual')
      expect(eventual).toEqual(await answers(reader, 'strong'))
      for (const [name, answer] of eventual) expect(answer, name).not.toEqual(before.get(name))
      before = eventual
    }
  })
})
