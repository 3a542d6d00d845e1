import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createIam } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { IdentityProviderEvent } from '../src/domain/identity-provider/events.js'
import { ProjectEvent } from '../src/domain/project/events.js'
import { ProjectRoleEvent } from '../src/domain/project-role/events.js'
import { authorize, cipher, context, readEverything, readSecret } from './fixtures/upgrade/read.ts'

const fixtures = resolve(import.meta.dirname, 'fixtures/upgrade')
const versions = readdirSync(fixtures).filter((name) => /^v\d/.test(name))
const folder = mkdtempSync(join(tmpdir(), 'claviger-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true }))

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const { version: atHand } = json(resolve(import.meta.dirname, '../package.json'))

let copies = 0

/** The file that `version` wrote, opened by the version at hand; a copy of it. */
const open = (version: string) => {
  const copy = join(folder, `${copies++}.db`)
  copyFileSync(join(fixtures, version, 'iam.db'), copy)
  const { close, store, readModel } = openSqlite(copy)
  const iam = createIam({ store, readModel, authorize, secrets: cipher('k2') })
  return { iam, store, readModel, [Symbol.asyncDispose]: close }
}

describe('Stores of every version', () => {
  it('are kept, also that of the version at hand', () => {
    expect(versions).toContain(`v${atHand}`)
  })
})

describe.each(versions)('A store that %s wrote', (version) => {
  it('is read as it was then', async () => {
    await using opened = open(version)
    const expected = json(join(fixtures, version, 'expected.json'))
    expect(await readEverything(opened.iam)).toMatchObject(expected)
    expect(await readSecret(opened.iam)).toBe('secret of google 🔑')
  })

  it('is read so too by a read model that is built anew', async () => {
    await using opened = open(version)
    await opened.readModel.reset()
    const expected = json(join(fixtures, version, 'expected.json'))
    expect(await readEverything(opened.iam)).toMatchObject(expected)
  })

  it('goes on: it takes writes, and knows those it has', async () => {
    await using opened = open(version)
    const { projects, projectRoles } = opened.iam
    const before = (await projects.get({ id: 'portal' }, context))._unsafeUnwrap()

    const once = { ...context, idempotencyKey: 'add the portal' }
    const repeated = await projects.add({ id: 'portal', name: 'Portal' }, once)
    expect(repeated._unsafeUnwrap().details.creationDate).toEqual(before.details.creationDate)

    const role = { projectId: 'portal', roleKey: 'editor/é+🔑', displayName: 'Another' }
    expect((await projectRoles.add(role, context))._unsafeUnwrapErr().kind).toBe('AlreadyExists')
    const update = { id: 'portal', name: 'Portal 2' }
    const { details } = (await projects.update(update, context))._unsafeUnwrap()
    expect(details.sequence).toBeGreaterThan(before.details.sequence)
  })
})

describe('The store that the version at hand wrote', () => {
  it('has every type of event', async () => {
    await using opened = open(`v${atHand}`)
    const events = await opened.store.readAll(0n, 1_000)
    const unions = [IdentityProviderEvent, ProjectEvent, ProjectRoleEvent]
    const types = unions.flatMap(({ options }) =>
      options.map((option) => option.unwrap().shape.type.value),
    )
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types))
  })
})
