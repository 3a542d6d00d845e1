import { DatabaseSync } from 'node:sqlite'
import { betterAuth as createAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import pg from 'pg'
import { DURABLE, newDatabase, temporaryFile } from '../databases.ts'
import { HELD_ROLE, isHeld, type Open, type Place, questionOf, usersIn } from '../world.ts'

const access = createAccessControl({ portal: ['view', 'edit', 'manage'] })
const roles = {
  viewer: access.newRole({ portal: ['view'] }),
  editor: access.newRole({ portal: ['view', 'edit'] }),
  admin: access.newRole({ portal: ['view', 'edit', 'manage'] }),
}

/** Users without a membership, whom the benchmark adds. */
const NEW_USERS = 50_000
/** Users who are signed in and ask. */
const SIGNED_IN = 20
const SIGNED_IN_FOR = 86_400

/**
 * better-auth with organizations: its members have one role each, and there are no projects. Roles are static and
 * sessions cached in cookies, so that a check reads one row.
 */
export const betterAuth: Open = async (place) => {
  const { database, run, close } = await open(place)
  const options = {
    database,
    secret: 'a secret that is long enough for the benchmark',
    baseURL: 'http://localhost:3000',
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    session: { cookieCache: { enabled: true, maxAge: SIGNED_IN_FOR } },
    // Passwords are not measured.
    emailAndPassword: {
      enabled: true,
      password: {
        hash: async (password: string) => password,
        verify: async ({ hash, password }: { hash: string; password: string }) => hash === password,
      },
    },
    plugins: [
      organization({
        ac: access,
        roles,
        creatorRole: 'admin',
        membershipLimit: Number.MAX_SAFE_INTEGER,
      }),
    ],
  }
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  const { api } = createAuth(options)
  const signUp = async (name: string) => {
    const { headers, response } = await api.signUpEmail({
      body: { name, email: `${name}@example.com`, password: 'password' },
      returnHeaders: true,
    })
    const cookie = headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    return { userId: response.user.id, headers: new Headers({ cookie }) }
  }
  const owner = await signUp('owner')
  const made = await api.createOrganization({
    body: { name: 'Acme', slug: 'acme', userId: owner.userId },
  })
  if (!made) throw new Error('The organization was not made')
  const organizationId = made.id
  const callers: Headers[] = []
  for (let index = 0; index < SIGNED_IN; index++) {
    const { userId, headers } = await signUp(`caller${index}`)
    await api.addMember({ body: { userId, organizationId, role: HELD_ROLE } })
    callers.push(headers)
  }
  await run(organizationId, { members: usersIn(place), users: NEW_USERS })

  const check = async (index: number, headers = callers[index % SIGNED_IN] ?? owner.headers) => {
    const { roleKey } = questionOf(index, place)
    const permission = roleKey === HELD_ROLE ? ('edit' as const) : ('manage' as const)
    const { success } = await api.hasPermission({
      headers,
      body: { organizationId, permissions: { portal: [permission] } },
    })
    return success === isHeld(index)
  }
  const add = async (index: number) => {
    const userId = `new${index}`
    const member = await api.addMember({ body: { userId, organizationId, role: HELD_ROLE } })
    return member !== null
  }
  return { jobs: { check: { call: (index) => check(index) }, add: { call: add } }, close }
}

interface Held {
  readonly members: number
  readonly users: number
}

const open = async ({ store }: Place) => (store === 'postgres' ? onPostgres() : onSqlite())

const onSqlite = () => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(DURABLE)
  const run = async (organizationId: string, { members, users }: Held): Promise<void> => {
    const now = new Date().toISOString()
    database.exec('BEGIN')
    const addUser = database.prepare(
      'INSERT INTO user (id, name, email, emailVerified, createdAt, updatedAt) VALUES (?, ?, ?, 0, ?, ?)',
    )
    const addMember = database.prepare(
      'INSERT INTO member (id, organizationId, userId, role, createdAt) VALUES (?, ?, ?, ?, ?)',
    )
    const put = (id: string) => addUser.run(id, id, `${id}@example.com`, now, now)
    for (let index = 0; index < users; index++) put(`new${index}`)
    for (let index = 0; index < members; index++) {
      const id = `user${index}`
      put(id)
      addMember.run(`member${index}`, organizationId, id, HELD_ROLE, now)
    }
    database.exec('COMMIT')
  }
  return {
    database,
    run,
    close: async () => {
      database.close()
      remove()
    },
  }
}

const onPostgres = async () => {
  const database = new pg.Pool({ connectionString: await newDatabase() })
  const run = async (organizationId: string, { members, users }: Held): Promise<void> => {
    const addUsers = (prefix: string, count: number) =>
      database.query(
        `INSERT INTO "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
         SELECT $1 || n, $1 || n, $1 || n || '@example.com', false, now(), now()
         FROM generate_series(0, $2::int - 1) AS n`,
        [prefix, count],
      )
    await addUsers('new', users)
    await addUsers('user', members)
    await database.query(
      `INSERT INTO member (id, "organizationId", "userId", role, "createdAt")
       SELECT 'member' || n, $1, 'user' || n, $2, now() FROM generate_series(0, $3::int - 1) AS n`,
      [organizationId, HELD_ROLE, members],
    )
    await database.query('ANALYZE')
  }
  return { database, run, close: () => database.end() }
}
