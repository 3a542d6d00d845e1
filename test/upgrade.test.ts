import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createIam, orThrow, verify } from 'claviger'
import { openPostgres, type Postgres } from 'claviger/postgres'
import { openSqlite } from 'claviger/sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READ_MODEL } from '../src/adapters/sql/read-model/tables.js'
import { DomainEvent } from '../src/domain/email-domain/events.js'
import { VerifiedDomainEvent } from '../src/domain/email-domain/verified-domain.js'
import { IdentityProviderEvent } from '../src/domain/identity-provider/events.js'
import { MembershipEvent } from '../src/domain/membership/events.js'
import { ProjectEvent } from '../src/domain/project/events.js'
import { ProjectGrantEvent } from '../src/domain/project-grant/events.js'
import { ProjectRoleEvent } from '../src/domain/project-role/events.js'
import { RoleMappingEvent } from '../src/domain/role-mapping/events.js'
import { SetupLinkEvent } from '../src/domain/setup-link/events.js'
import { SetupLinkTokenEvent } from '../src/domain/setup-link/token.js'
import { UserGrantEvent } from '../src/domain/user-grant/events.js'
import { PROJECT_DEFAULTS } from './defaults.js'
import { typesOf } from './domain/types-of.ts'
import { definitions } from './fixtures/upgrade/dump.ts'
import { authorize, cipher, context, readEverything, readSecret } from './fixtures/upgrade/read.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const fixtures = resolve(import.meta.dirname, 'fixtures/upgrade')
const versions = readdirSync(fixtures).filter((name) => /^v\d/.test(name))
const folder = mkdtempSync(join(tmpdir(), 'claviger-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true }))

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const { version: atHand } = json(resolve(import.meta.dirname, '../package.json'))

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres({ settings: ['fsync=off'] })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Runs SQL on a database of the server. */
const query = async (database: string, sql: string): Promise<void> => {
  await using client = await connect(database)
  await client.query(sql)
}

const connect = async (database: string) => {
  const client = new pg.Client({ connectionString: addressOf(database) })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const addressOf = (database: string): string =>
  server.connectionString.replace(/postgres$/, database)

let copies = 0

/** A database of its own with what is in the dump of `version`; empty without one. */
const newDatabase = async (version?: string): Promise<string> => {
  const database = `copy_${copies++}`
  await query('postgres', `CREATE DATABASE ${database}`)
  if (version) await query(database, readFileSync(join(fixtures, version, 'iam.sql'), 'utf8'))
  return database
}

const openFile = async (version: string) => {
  const copy = join(folder, `${copies++}.db`)
  copyFileSync(join(fixtures, version, 'iam.db'), copy)
  return openSqlite(copy)
}

const openDump = async (version: string) =>
  openPostgres({ connectionString: addressOf(await newDatabase(version)) })

/** Opens what a version wrote with the version at hand; a copy of it. */
const STORES = [
  { name: 'SQLite', open: openFile },
  { name: 'PostgreSQL', open: openDump },
]

const secrets = cipher('k2')

const iamOf = ({ store, readModel }: Pick<Postgres, 'store' | 'readModel'>) =>
  createIam({ store, readModel, authorize, secrets })

const all = STORES.flatMap(({ name, open }) =>
  versions.map((version) => ({ name, version, open: () => open(version) })),
)

/** What a version reads; before 0.3, the history of a removal did not name the roles that it takes. */
const readAs = async (version: string, iam: ReturnType<typeof iamOf>): Promise<unknown> => {
  const found = await readEverything(iam)
  return version >= 'v0.3' ? found : withoutTakenRoles(found)
}

const withoutTakenRoles = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const isRemoval = value.some((change) => change?.field === 'state' && change.to === 'removed')
    const kept = value.filter((change) => !isRemoval || !/^roles\./.test(change.field))
    return kept.map(withoutTakenRoles)
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [name, withoutTakenRoles(of)]),
  )
}

describe('Stores of every version', () => {
  it('are kept, including the current version', () => {
    expect(versions).toContain(`v${atHand}`)
  })
})

describe.each(all)('A store on $name that $version wrote', ({ version, open }) => {
  it('is read as it was then', async () => {
    await using opened = await open()
    const expected = json(join(fixtures, version, 'expected.json'))
    expect(await readAs(version, iamOf(opened))).toMatchObject(expected)
    expect(await readSecret(iamOf(opened))).toBe('secret of google 🔑')
  })

  it('is read the same by a rebuilt read model', async () => {
    await using opened = await open()
    await opened.readModel.reset()
    const expected = json(join(fixtures, version, 'expected.json'))
    expect(await readAs(version, iamOf(opened))).toMatchObject(expected)
  })

  it('goes on: it takes writes, and knows those it has', async () => {
    await using opened = await open()
    const { projects, projectRoles } = iamOf(opened)
    const before = (await projects.get({ id: 'portal' }, context))._unsafeUnwrap()

    const once = { ...context, idempotencyKey: 'add the portal' }
    const repeated = await projects.add({ id: 'portal', name: 'Portal' }, once)
    expect(repeated._unsafeUnwrap().details.creationDate).toEqual(before.details.creationDate)

    const role = { projectId: 'portal', roleKey: 'editor/é+🔑', displayName: 'Another' }
    expect((await projectRoles.add(role, context))._unsafeUnwrapErr().kind).toBe('AlreadyExists')
    const roles = ['new', 'newer'].map((roleKey) => ({ roleKey, displayName: roleKey }))
    const added = await projectRoles.addMany({ projectId: 'portal', roles }, context)
    expect(added._unsafeUnwrap().events.length).toBe(2)
    const update = { ...PROJECT_DEFAULTS, id: 'portal', name: 'Portal 2' }
    const { details } = (await projects.update(update, context))._unsafeUnwrap()
    expect(details.sequence).toBeGreaterThan(before.details.sequence)
    expect((await verify(opened.store, { secrets })).isOk()).toBe(true)
  })

  it('takes grants of what it has, and knows who has which role', async () => {
    await using opened = await open()
    const { access, projectGrants, projectRoles, userGrants } = iamOf(opened)
    const globex = { ...context, orgId: 'globex' }
    const [project, roleKey] = [{ projectId: 'portal' }, 'editor/é+🔑']
    const grant = { ...project, grantedOrgId: 'globex' }
    const anna = { ...project, projectOrgId: 'acme', userId: 'anna of globex' }
    const bob = { ...project, userId: 'bob of acme' }

    orThrow(await projectGrants.add({ ...grant, roleKeys: [roleKey] }, context))
    orThrow(await userGrants.add({ ...anna, roles: [{ roleKey }] }, globex))
    orThrow(await userGrants.add({ ...bob, roles: [{ roleKey: 'viewer' }] }, context))
    expect(orThrow(await projectGrants.get(grant, context)).roleKeys).toEqual([roleKey])
    const received = orThrow(await projectGrants.listReceived({}, globex)).items
    const ofPortal = received.filter(({ projectId }) => projectId === 'portal')
    expect(ofPortal).toMatchObject([{ ...grant, projectOrgId: 'acme' }])
    expect(orThrow(await userGrants.get(anna, globex)).roles).toEqual([{ roleKey }])
    const listed = orThrow(await userGrants.list({}, context))
    expect(listed.items).toMatchObject([{ ...bob, projectOrgId: 'acme' }])
    const allowed = orThrow(await access.check({ ...anna, roleKey }, globex))
    expect(allowed).toMatchObject({ allowed: true, reasons: [] })

    const holders = async () => orThrow(await access.whoHas(project, context)).items
    const ofAnna = { userId: anna.userId, orgId: 'globex', roleKey }
    const ofBob = { userId: bob.userId, orgId: 'acme', roleKey: 'viewer' }
    expect(await holders()).toMatchObject([ofAnna, ofBob])
    orThrow(await projectRoles.remove({ ...project, roleKey }, context))
    const refused = orThrow(await access.check({ ...anna, roleKey }, globex))
    expect(refused).toMatchObject({ allowed: false, reasons: [{ kind: 'RoleRemoved' }] })
    expect(await holders()).toMatchObject([ofBob])
    await opened.readModel.reset()
    expect(await holders()).toMatchObject([ofBob])
    expect((await verify(opened.store, { secrets })).isOk()).toBe(true)
  })
})

describe.each(all)('Roles on $name that $version wrote', ({ open }) => {
  it('have no permissions, and take them', async () => {
    await using opened = await open()
    const { access, history, projectRoles, userGrants } = iamOf(opened)
    const project = { projectId: 'portal' }
    const editor = { ...project, roleKey: 'editor/é+🔑' }
    const viewer = { ...project, roleKey: 'viewer' }
    const { items } = orThrow(await projectRoles.list(project, context))
    expect(items.map(({ permissions }) => permissions)).toEqual([[], []])
    const bob = { ...project, userId: 'bob of acme' }
    orThrow(await userGrants.add({ ...bob, roles: [{ roleKey: 'viewer' }] }, context))
    const before = new Date()
    const asked = { ...bob, permission: 'page.read' }
    expect(orThrow(await access.check(asked, context))).toMatchObject({
      allowed: false,
      permissions: [],
      reasons: [{ kind: 'PermissionNotGranted' }],
    })
    // Another millisecond than that of the time that is asked about below.
    await new Promise((resolve) => setTimeout(resolve, 2))
    const permissions = ['page.read', 'page.list']
    orThrow(await projectRoles.patch({ ...viewer, permissions }, context))
    orThrow(await projectRoles.patch({ ...editor, displayName: 'É' }, context))
    expect(orThrow(await access.check(asked, context))).toMatchObject({
      allowed: true,
      permissions: ['page.list', 'page.read'],
    })
    const whoHas = { ...project, permission: 'page.read' }
    const holder = { userId: bob.userId, orgId: 'acme', roleKey: 'viewer' }
    for (const rebuilt of [false, true]) {
      if (rebuilt) await opened.readModel.reset()
      expect(orThrow(await access.whoHas(whoHas, context)).items).toMatchObject([holder])
      const past = orThrow(await access.whoHas({ ...whoHas, at: before }, context))
      expect(past.items).toEqual([])
      const object = { type: 'project_role', ...viewer } as const
      const { items } = orThrow(await history.list({ object }, context))
      expect(items.at(-1)?.changes).toEqual([
        { field: 'permissions', from: [], to: ['page.list', 'page.read'] },
      ])
    }
    expect((await verify(opened.store, { secrets })).isOk()).toBe(true)
  })
})

/** Names a table of a read model of another shape. */
const OTHER_SHAPE = new RegExp(`\\bread_(?!${READ_MODEL.slice('read_'.length)}_)[0-9a-z]+_`)

describe.each(versions)('The tables on PostgreSQL that %s made', (version) => {
  it('become those that a new schema has', async () => {
    const databases = [await newDatabase(version), await newDatabase()]
    const found = []
    for (const database of databases) {
      await using _ = await openPostgres({ connectionString: addressOf(database) })
      await using client = await connect(database)
      const { before, after } = await definitions(client, 'claviger')
      found.push([...before, ...after].filter((statement) => !OTHER_SHAPE.test(statement)))
    }
    expect(found[0]).toEqual(found[1])
  })
})

const EVENTS = [
  IdentityProviderEvent,
  ProjectEvent,
  ProjectRoleEvent,
  ProjectGrantEvent,
  UserGrantEvent,
  RoleMappingEvent,
  MembershipEvent,
  DomainEvent,
  VerifiedDomainEvent,
  SetupLinkEvent,
  SetupLinkTokenEvent,
]

describe.each(STORES)('The store on $name that the current version wrote', ({ open }) => {
  it('has every type of event', async () => {
    await using opened = await open(`v${atHand}`)
    const events = await opened.store.readAll(0n, 1_000)
    const types = EVENTS.flatMap((union) => typesOf(union))
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types))
  })
})
