import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { orThrow } from 'claviger'
import { memoryScimRecords, type ScimRefused, scimHandler } from 'claviger/scim'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { admin, CORE, clientOf, members, openHost, patchOf, userTable } from './host.js'

const NAMES = ['ada', 'bo', 'cy']

const NO_CHANGE = { op: 'remove', path: 'nickName' }

/** A path whose pattern would take long to refuse. */
const LONG = `urn${':1.1:a'.repeat(50_000)}\n`

/** A host with users, a client, and a way to add groups. */
const opened = async (options: Partial<Parameters<typeof clientOf>[2]> = {}) => {
  const host = await openHost()
  const table = userTable(NAMES)
  const { handler, send } = clientOf(host.iam, host.place, { users: table.users, ...options })
  const push = async (displayName: string, ids: readonly string[] = [], token = 'entra') => {
    const body = { displayName, members: members(...ids) }
    const { status, body: group } = await send({ method: 'POST', path: '/Groups', body }, token)
    expect(status).toBe(201)
    return String(group.id)
  }
  const patchGroup = (id: string, ...operations: readonly object[]) =>
    send({ method: 'PATCH', path: `/Groups/${id}`, body: patchOf(...operations) })
  const setActive = (id: string, value: boolean, token = 'entra') =>
    send(
      {
        method: 'PATCH',
        path: `/Users/${id}`,
        body: patchOf({ op: 'replace', path: 'active', value }),
      },
      token,
    )
  const signIn = (userId: string, groups: readonly string[], token = 'entra') => {
    const { idpId } = host.place(token)
    return orThrow(host.iam.memberships.report({ idpId, userId, groups }, { caller: admin() }))
  }
  const give = (userId: string) => {
    const roles = [{ roleKey: 'auditor' }]
    const caller = { ...admin(), permissions: ['user.grant.write', 'user.grant.read'] as const }
    return orThrow(host.iam.userGrants.add({ userId, projectId: 'invoicing', roles }, { caller }))
  }
  return { ...host, table, handler, send, push, patchGroup, setActive, signIn, give }
}

describe('a group that is pushed', () => {
  it('gives its members the roles of its mappings, and ends them with the membership', async () => {
    const { map, has, push, patchGroup } = await opened()
    await map('finance')
    const id = await push('finance', ['ada', 'bo'])
    expect(await Promise.all(NAMES.map((name) => has(name)))).toEqual([true, true, false])
    await patchGroup(id, { op: 'remove', path: 'members', value: members('ada') })
    expect(await Promise.all(NAMES.map((name) => has(name)))).toEqual([false, true, false])
    await patchGroup(id, { op: 'remove', path: 'members' })
    expect(await Promise.all(NAMES.map((name) => has(name)))).toEqual([false, false, false])
  })

  it('counts for a mapping that was added later once its members are reported again', async () => {
    const { map, has, push, handler, place } = await opened()
    await push('finance', ['ada'])
    await map('finance')
    expect(await has('ada')).toBe(false)
    await handler.reportAgain(place('entra'))
    expect(await has('ada')).toBe(true)
  })

  it('is known to mappings by its externalId where the provider says so', async () => {
    const host = await openHost()
    await host.map('object-1')
    const place = (token: string) => ({ ...host.place(token), groupName: 'externalId' as const })
    const { send } = clientOf(host.iam, place, { users: userTable(NAMES).users })
    const body = { displayName: 'finance', externalId: 'object-1', members: members('ada') }
    expect((await send({ method: 'POST', path: '/Groups', body })).status).toBe(201)
    expect(await host.has('ada')).toBe(true)
    const found = async (externalId: string) => {
      const path = `/Groups?filter=externalId eq "${externalId}"`
      return (await send({ method: 'GET', path })).body.totalResults
    }
    expect([await found('object-1'), await found('OBJECT-1')]).toEqual([1, 0])
    // A group of the same displayName is another one; of the same externalId, the same.
    expect((await send({ method: 'POST', path: '/Groups', body })).status).toBe(409)
    const other = { displayName: 'finance', externalId: 'object-2' }
    expect((await send({ method: 'POST', path: '/Groups', body: other })).status).toBe(201)
  })

  it('takes no name that another group has, and gets a new id after a deletion', async () => {
    const { push, send, patchGroup } = await opened()
    const finance = await push('finance')
    const staff = await push('staff')
    const body = { displayName: 'finance' }
    const again = await send({ method: 'POST', path: '/Groups', body })
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
    const renamed = await patchGroup(staff, { op: 'replace', value: body })
    expect([renamed.status, renamed.body.scimType]).toEqual([409, 'uniqueness'])
    await send({ method: 'DELETE', path: `/Groups/${finance}` })
    expect(await push('finance')).not.toBe(finance)
    expect((await send({ method: 'GET', path: `/Groups/${finance}` })).status).toBe(404)
  })

  it('gets a name again however often a group of it was deleted', async () => {
    const { push, send } = await opened()
    const ids = new Set<string>()
    for (let count = 0; count < 120; count++) {
      const id = await push('finance')
      ids.add(id)
      expect((await send({ method: 'DELETE', path: `/Groups/${id}` })).status).toBe(204)
    }
    expect(ids.size).toBe(120)
  })

  it('gets 1,000 members by one PATCH', async () => {
    const host = await openHost()
    const many = Array.from({ length: 1_000 }, (_, index) => `m-${index}`)
    const { send } = clientOf(host.iam, host.place, { users: userTable(many).users })
    await host.map('finance')
    const { body } = await send({
      method: 'POST',
      path: '/Groups',
      body: { displayName: 'finance' },
    })
    const path = `/Groups/${body.id}`
    const add = patchOf({ op: 'Add', path: 'members', value: members(...many) })
    expect((await send({ method: 'PATCH', path, body: add })).status).toBe(204)
    const context = { caller: admin() }
    const all = await orThrow(host.iam.memberships.list({ pageSize: 1000 }, context))
    expect([all.totalSize, await host.has('m-0'), await host.has('m-999')]).toEqual([
      1_000,
      true,
      true,
    ])
    const removed = many
      .slice(1)
      .map((value) => ({ op: 'remove', path: `members[value eq "${value}"]` }))
    expect((await send({ method: 'PATCH', path, body: patchOf(...removed) })).status).toBe(204)
    expect((await send({ method: 'GET', path })).body.members).toEqual([
      { value: 'm-0', type: 'User' },
    ])
    expect([await host.has('m-0'), await host.has('m-999')]).toEqual([true, false])
  })

  it('has a member once, however the directory writes it', async () => {
    const { push, send, patchGroup } = await opened()
    const id = await push('finance', ['ada'])
    const value = [{ value: 'ada', type: 'User', display: 'Ada' }, { value: 'bo' }]
    await patchGroup(id, { op: 'add', path: 'members', value })
    const ids = async () => {
      const { body } = await send({ method: 'GET', path: `/Groups/${id}` })
      return body.members.map(({ value: each }: { value: string }) => each)
    }
    expect((await ids()).sort()).toEqual(['ada', 'bo'])
    await patchGroup(
      id,
      { op: 'add', path: 'members', value: members('ada') },
      { op: 'remove', path: 'members', value: members('ada') },
    )
    expect(await ids()).toEqual(['bo'])
  })

  it('is not changed any more once a failed push was answered', async () => {
    const memory = memoryScimRecords()
    const gate = Promise.withResolvers<void>()
    let isFaulty = false
    let isHeld = false
    const { map, has, push, patchGroup } = await opened({
      onError: () => {},
      records: {
        ...memory,
        write: async (directory, key, record) => {
          if (isFaulty && key === 'user/ada') throw new Error('no database')
          if (isFaulty && key === 'user/bo') {
            isHeld = true
            await gate.promise
          }
          return memory.write(directory, key, record)
        },
      },
    })
    await map('finance')
    const id = await push('finance')
    isFaulty = true
    let isAnswered = false
    const adding = patchGroup(id, { op: 'add', path: 'members', value: members('ada', 'bo') })
    void adding.then(() => {
      isAnswered = true
    })
    await vi.waitFor(() => expect(isHeld).toBe(true))
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(isAnswered).toBe(false)
    isFaulty = false
    gate.resolve()
    expect((await adding).status).toBe(500)
    await patchGroup(id, { op: 'remove', path: 'members', value: members('bo') })
    expect([await has('ada'), await has('bo')]).toEqual([false, false])
  })

  it('gets nobody by what is said of a member that it does not have', async () => {
    const { map, has, push, patchGroup } = await opened()
    await map('finance')
    const id = await push('finance', ['ada'])
    for (const [op, path, value] of [
      ['replace', 'members[value eq "bo"].display', 'Bo'],
      ['add', 'Members[value eq "bo"]', { display: 'Bo' }],
    ] as const) {
      const answer = await patchGroup(id, { op, path, value })
      expect([answer.status, answer.body.scimType]).toEqual([400, 'noTarget'])
    }
    const known = { op: 'replace', path: 'members[value eq "ada"].display', value: 'Ada' }
    expect((await patchGroup(id, known)).status).toBe(204)
    expect([await has('ada'), await has('bo')]).toEqual([true, false])
  })

  it('loses nobody by a removal of nobody', async () => {
    const { map, has, push, patchGroup } = await opened()
    await map('finance')
    const id = await push('finance', ['ada'])
    await patchGroup(id, { op: 'Remove', path: 'members', value: [] })
    expect(await has('ada')).toBe(true)
  })
})

describe('a user who leaves', () => {
  it('loses all grants and memberships in the organization', async () => {
    const { map, has, push, setActive, give, signIn } = await opened()
    await map('finance')
    await map('staff', 'auditor', 'okta')
    await push('finance', ['ada', 'bo'])
    await signIn('ada', ['staff'], 'okta')
    await give('ada')
    const { status, body } = await setActive('ada', false)
    expect([status, body.active]).toEqual([200, false])
    expect([await has('ada'), await has('ada', 'auditor'), await has('bo')]).toEqual([
      false,
      false,
      true,
    ])
  })

  it("loses the provider's membership alone with leavers: 'memberships'", async () => {
    const { map, has, push, send, give } = await opened({ leavers: 'memberships' })
    await map('finance')
    await push('finance', ['ada'])
    await give('ada')
    expect((await send({ method: 'DELETE', path: '/Users/ada' })).status).toBe(204)
    expect([await has('ada'), await has('ada', 'auditor')]).toEqual([false, true])
  })

  it('gets nothing from groups until the directory takes the user back', async () => {
    const { map, has, push, setActive, patchGroup } = await opened()
    await map('finance')
    const id = await push('finance')
    await setActive('ada', false)
    await patchGroup(id, { op: 'add', path: 'members', value: members('ada') })
    expect(await has('ada')).toBe(false)
    await setActive('ada', true)
    expect(await has('ada')).toBe(true)
  })

  it('keeps what a later request gave when an earlier one fails late', async () => {
    const memory = memoryScimRecords()
    let afterNextWrite: (() => Promise<void>) | undefined
    let isFaulty = false
    const { map, has, push, patchGroup, setActive } = await opened({
      onError: () => {},
      records: {
        ...memory,
        write: async (directory, key, record) => {
          if (isFaulty) throw new Error('no database')
          const isWritten = await memory.write(directory, key, record)
          const staged = afterNextWrite
          if (key === 'user/ada') afterNextWrite = undefined
          if (key === 'user/ada') await staged?.()
          return isWritten
        },
      },
    })
    await map('finance')
    const finance = await push('finance')
    await setActive('ada', false)
    afterNextWrite = async () => {
      expect((await setActive('ada', true)).status).toBe(200)
      expect(await has('ada')).toBe(true)
      isFaulty = true
    }
    const add = { op: 'add', path: 'members', value: members('ada') }
    expect((await patchGroup(finance, add)).status).toBe(500)
    expect([isFaulty, await has('ada')]).toEqual([true, true])
  })

  it('loses everything when a deletion that failed is repeated', async () => {
    const { users } = userTable(NAMES)
    let isFaulty = true
    const { has, give, send } = await opened({
      onError: () => {},
      users: {
        ...users,
        update: async (...given) => {
          if (isFaulty) throw new Error('no database')
          return users.update(...given)
        },
      },
    })
    await give('ada')
    const remove = () => send({ method: 'DELETE', path: '/Users/ada' })
    expect((await remove()).status).toBe(500)
    isFaulty = false
    expect([(await remove()).status, await has('ada', 'auditor')]).toEqual([204, false])
    expect((await remove()).status).toBe(404)
  })

  it('is not deactivated by a change of another attribute', async () => {
    const { has, send, give, table } = await opened()
    table.add({ userName: 'dee', active: false }, 'acme', 'dee')
    await give('dee')
    const body = patchOf({ op: 'replace', path: 'displayName', value: 'Dee' })
    expect((await send({ method: 'PATCH', path: '/Users/dee', body })).status).toBe(200)
    expect(await has('dee', 'auditor')).toBe(true)
  })

  it('is gone after a deletion, and comes back by POST without groups', async () => {
    const { users } = userTable(NAMES)
    const { find, get } = users
    const { map, has, push, send, signIn } = await opened({ users: { find, get } })
    await map('finance')
    await push('finance', ['ada'])
    expect((await send({ method: 'DELETE', path: '/Users/ada' })).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect((await send({ method, path: '/Users/ada' })).status).toBe(404)
    const query = { method: 'GET', path: '/Users?filter=userName eq "ada"' }
    expect((await send(query)).body.totalResults).toBe(0)
    const body = { userName: 'ada', active: true }
    const back = await send({ method: 'POST', path: '/Users', body })
    expect([back.status, back.body.id, await has('ada')]).toEqual([201, 'ada', false])
    expect(back.headers.get('location')).toBe('/scim/v2/Users/ada')
    await signIn('ada', ['finance'])
    expect(await has('ada')).toBe(true)
  })
})

describe('the attributes of a user', () => {
  it('keep the address at work when the one at home is the same', async () => {
    const { send, table } = await opened()
    const set = (...operations: readonly object[]) =>
      send({ method: 'PATCH', path: '/Users/ada', body: patchOf(...operations) })
    const emails = (type: string, value = 'ada@acme.example') => [{ type, value }]
    await set({ op: 'add', path: 'emails', value: emails('work') })
    await set({ op: 'add', path: 'emails', value: emails('home') })
    await set({ op: 'add', path: 'emails', value: emails('home') })
    expect(table.rows.get('ada')?.['emails']).toEqual([...emails('work'), ...emails('home')])
  })

  it('may be of an extension, which is then among its schemas', async () => {
    const { send } = await opened()
    const extension = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
    const value = { [`${extension}:department`]: 'Tour Operations' }
    const patch = patchOf({ op: 'add', value })
    const { body } = await send({ method: 'PATCH', path: '/Users/ada', body: patch })
    expect(body[extension]).toEqual({ department: 'Tour Operations' })
    expect(body.schemas).toEqual([`${CORE}:User`, extension])
    // https://github.com/imulab/go-scim/pull/88
    for (const [query, has] of [
      [`attributes=${extension}:department`, true],
      [`attributes=userName,${extension}`, true],
      [`excludedAttributes=${extension}`, false],
      [`attributes=${CORE}:User:userName`, false],
    ]) {
      const answer = await send({ method: 'GET', path: `/Users/ada?${query}` })
      expect([query, extension in answer.body]).toEqual([query, has])
    }
  })

  // https://github.com/MicrosoftDocs/entra-docs/issues/391
  it('are found by primary eq "True" where the directory has created them with true', async () => {
    const { send, table } = await opened()
    const roles = (value: string) => [{ primary: true, value }]
    const body = { userName: 'new', roles: roles('reader') }
    const { id } = (await send({ method: 'POST', path: '/Users', body })).body
    const patch = { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'admin' }
    await send({ method: 'PATCH', path: `/Users/${id}`, body: patchOf(patch) })
    expect(table.rows.get(id)?.['roles']).toEqual(roles('admin'))
  })
})

// https://github.com/thomaspoignant/scim2-parse-filter/pull/110
it('Names with a backslash, escaped or not, and with brackets are found', async () => {
  const { send, push } = await opened()
  await send({ method: 'POST', path: '/Users', body: { userName: 'domain\\user.name' } })
  await push('CORP\\Sales')
  const emails = [{ value: '][' }]
  await send({ method: 'POST', path: '/Users', body: { userName: '-{}][":/.,?', emails } })
  for (const filter of [
    '/Users?filter=userName eq "domain\\user.name"',
    '/Users?filter=userName eq "domain\\\\user.name"',
    '/Groups?filter=displayName eq "CORP\\Sales"',
    // https://github.com/Captain-P-Goldfish/SCIM-SDK/issues/913
    '/Users?filter=userName eq "-{}][\\":/.,?" and emails[value eq "]["]',
  ]) {
    const { body } = await send({ method: 'GET', path: encodeURI(filter) })
    expect([filter, body.totalResults]).toEqual([filter, 1])
  }
})

describe('a sign-in beside pushes', () => {
  it('speaks for all groups of the user, and a push for the members that it changes', async () => {
    const { map, has, push, signIn, patchGroup } = await opened()
    await map('finance')
    await map('staff', 'auditor')
    const id = await push('finance', ['ada'])
    // The sign-in names a group that is not pushed, and leaves out one that is.
    await signIn('ada', ['staff'])
    expect([await has('ada'), await has('ada', 'auditor')]).toEqual([false, true])
    // A push that does not concern the user revives nothing, and one about another group keeps what sign-in said.
    await patchGroup(id, { op: 'add', path: 'members', value: members('bo') })
    await push('other', ['ada'])
    expect([await has('ada'), await has('ada', 'auditor')]).toEqual([false, true])
    await patchGroup(id, { op: 'remove', path: 'members', value: members('ada') })
    await patchGroup(id, { op: 'add', path: 'members', value: members('ada') })
    expect([await has('ada'), await has('ada', 'auditor')]).toEqual([true, true])
  })

  it('is not extended beyond validFor by a push', async () => {
    const { map, has, push, signIn } = await opened()
    await map('staff', 'auditor', 'entra', 24)
    await map('finance')
    await signIn('ada', ['staff'])
    await push('finance', ['ada'])
    expect([await has('ada'), await has('ada', 'auditor')]).toEqual([true, false])
  })
})

describe('a provider', () => {
  it('never reaches users and groups of another organization, nor groups of another provider', async () => {
    const { map, has, push, send, patchGroup, table } = await opened()
    table.add({ userName: 'zoe' }, 'globex', 'zoe')
    await map('finance')
    const id = await push('finance', ['ada'])
    for (const token of ['okta', 'globex'])
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? patchOf() : { displayName: 'x', members: [] }
        const exchange = { method, path: `/Groups/${id}`, ...(/^P/.test(method) && { body }) }
        expect((await send(exchange, token)).status).toBe(404)
      }
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? patchOf() : { userName: 'zoe', active: false }
      const exchange = { method, path: '/Users/zoe', ...(/^P/.test(method) && { body }) }
      expect((await send(exchange)).status).toBe(404)
    }
    expect(
      (await send({ method: 'GET', path: '/Users?filter=userName eq "zoe"' })).body.totalResults,
    ).toBe(0)
    expect((await send({ method: 'GET', path: '/Groups' }, 'okta')).body.totalResults).toBe(0)
    // Nothing of a request with one foreign member is written.
    const mixed = await patchGroup(id, { op: 'add', path: 'members', value: members('bo', 'zoe') })
    expect([mixed.status, mixed.body.scimType]).toEqual([400, 'invalidValue'])
    expect([await has('ada'), await has('bo'), await has('zoe')]).toEqual([true, false, false])
  })

  it('needs a token, and a caller who may report', async () => {
    const { send, place, iam } = await opened()
    const nobody = await send({ method: 'GET', path: '/Users' }, 'nobody')
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const weak = (token: string) => {
      const found = place(token)
      return { ...found, caller: { ...found.caller, permissions: [] } }
    }
    const client = clientOf(iam, weak, { users: userTable(NAMES).users })
    const body = { displayName: 'finance', members: members('ada') }
    const refused = await client.send({ method: 'POST', path: '/Groups', body })
    expect([refused.status, refused.body.status]).toEqual([403, '403'])
  })
})

describe('the protocol', () => {
  it('has ETags: If-None-Match saves a body, and If-Match refuses a lost update', async () => {
    const { push, send } = await opened()
    for (const path of [`/Groups/${await push('finance')}`, '/Users/ada']) {
      const etag = (await send({ method: 'GET', path })).headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/".+"$/)
      const known = await send({ method: 'GET', path, headers: { 'if-none-match': etag } })
      expect([known.status, known.body]).toEqual([304, undefined])
      const rename = { displayName: 'renamed', userName: 'renamed' }
      const headers = { 'if-match': etag }
      expect((await send({ method: 'PUT', path, body: rename, headers })).status).toBe(200)
      expect((await send({ method: 'PUT', path, body: rename, headers })).status).toBe(412)
      expect((await send({ method: 'DELETE', path, headers })).status).toBe(412)
      const any = { 'if-match': '*' }
      expect((await send({ method: 'PUT', path, body: rename, headers: any })).status).toBe(200)
    }
  })

  it('has pages, and leaves attributes out', async () => {
    const { push, send } = await opened()
    for (const name of ['a', 'b', 'c']) await push(name, ['ada'])
    const page = async (query: string) =>
      (await send({ method: 'GET', path: `/Groups?${query}` })).body
    const [one, two] = [await page('startIndex=1&count=2'), await page('startIndex=3&count=2')]
    expect([one.totalResults, one.itemsPerPage, two.itemsPerPage, two.startIndex]).toEqual([
      3, 2, 1, 3,
    ])
    const names = [...one.Resources, ...two.Resources].map(({ displayName }) => displayName)
    expect(names.sort()).toEqual(['a', 'b', 'c'])
    expect((await page('count=0')).Resources).toEqual([])
    expect((await page('startIndex=-1&count=-1')).itemsPerPage).toBe(0)
    const first = await page('startIndex=-1&count=2')
    expect([first.startIndex, first.Resources]).toEqual([1, one.Resources])
    const found = await page('filter=displayName eq "A"&attributes=displayName')
    expect(Object.keys(found.Resources[0]).sort()).toEqual(['displayName', 'id', 'schemas'])
    const without = await page('filter=displayName eq "a"&excludedAttributes=members,meta')
    expect(Object.keys(without.Resources[0])).not.toContain('members')
  })

  it('shows at most 200 resources on a page', async () => {
    const host = await openHost()
    const many = Array.from({ length: 201 }, (_, index) => `m-${index}`)
    const { send } = clientOf(host.iam, host.place, { users: userTable(many).users })
    const body = { displayName: 'finance', members: members(...many) }
    expect((await send({ method: 'POST', path: '/Groups', body })).status).toBe(201)
    for (const query of ['', '?count=1000']) {
      const { totalResults, Resources } = (await send({ method: 'GET', path: `/Users${query}` }))
        .body
      expect([totalResults, Resources.length]).toEqual([201, 200])
    }
  })

  it('counts and lists no user that the host has deleted', async () => {
    const host = await openHost()
    const table = userTable(['a', 'b', 'c', 'd'])
    const { send } = clientOf(host.iam, host.place, { users: table.users })
    const body = { displayName: 'finance', members: members('a', 'b', 'c', 'd') }
    expect((await send({ method: 'POST', path: '/Groups', body })).status).toBe(201)
    for (const id of ['b', 'd']) table.rows.delete(id)
    const found: string[] = []
    const totals: number[] = []
    // A client that reads until it has the total would never end.
    for (let page = 0; page < 3; page++) {
      const path = `/Users?startIndex=${found.length + 1}&count=1`
      const { totalResults, Resources } = (await send({ method: 'GET', path })).body
      found.push(...Resources.map(({ id }: { id: string }) => id))
      totals.push(totalResults)
    }
    expect([found, totals]).toEqual([
      ['a', 'c'],
      [2, 2, 2],
    ])
  })

  it('answers HEAD as GET without a body, and takes JSON alone', async () => {
    const { send } = await opened()
    const head = await send({ method: 'HEAD', path: '/Users/ada' })
    const get = await send({ method: 'GET', path: '/Users/ada' })
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([
      200,
      undefined,
      get.headers.get('etag'),
    ])
    const headers = { 'content-type': 'text/plain' }
    const body = { displayName: 'finance' }
    const refused = await send({ method: 'POST', path: '/Groups', body, headers })
    expect([refused.status, refused.body.status]).toEqual([415, '415'])
  })

  it.each([
    ['GET', '/Users?filter=name.familyName eq "x"', undefined, 400, 'invalidFilter'],
    ['GET', '/Users?filter=userName co "x"', undefined, 400, 'invalidFilter'],
    ['GET', '/Groups?filter=displayName eq "x" or id eq "y"', undefined, 400, 'invalidFilter'],
    ['GET', '/Users?startIndex=x', undefined, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'x'.repeat(201) }, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: '' }, 400, 'invalidValue'],
    ['POST', '/Groups', {}, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'x', members: [{}] }, 400, 'invalidValue'],
    ['POST', '/Groups', { displayName: 'x', members: members('zoe') }, 400, 'invalidValue'],
    ['PATCH', '/Users/ada', patchOf(...Array(2_001).fill(NO_CHANGE)), 400, 'invalidValue'],
    ['POST', '/Users', { active: true }, 400, 'invalidValue'],
    ['PUT', '/Users/ada', { userName: 'ada', active: 'maybe' }, 400, 'invalidValue'],
    ['PATCH', '/Users/ada', patchOf({ op: 'move', path: 'x' }), 400, 'invalidValue'],
    [
      'PATCH',
      '/Users/ada',
      patchOf({ op: 'add', path: '__proto__.x', value: 1 }),
      400,
      'invalidPath',
    ],
    [
      'PATCH',
      '/Users/ada',
      patchOf({ op: 'add', path: 'constructor.x[', value: 1 }),
      400,
      'invalidPath',
    ],
    ['PATCH', '/Users/ada', { Operations: 'x' }, 400, 'invalidValue'],
    ['PATCH', '/Users/ada', { Operations: Array(2_001).fill({}) }, 400, 'invalidValue'],
    ['PATCH', '/Users/ada', patchOf({ op: 'add', path: LONG, value: 1 }), 400, 'invalidPath'],
    ['PATCH', '/Users/ada', patchOf({ op: 'add', value: { [LONG]: 1 } }), 400, 'invalidPath'],
    ['PATCH', '/Users/ada', patchOf({ op: 'remove', path: 'userName' }), 400, 'invalidValue'],
    ['PATCH', '/Users/ada', patchOf({ op: 'remove' }), 400, 'noTarget'],
    ['GET', '/Schemas/urn:x', undefined, 404, undefined],
    ['DELETE', '/Users', undefined, 405, undefined],
    ['POST', '/Bulk', {}, 404, undefined],
    ['GET', '/toString', undefined, 404, undefined],
    ['GET', '/Users/%ff', undefined, 404, undefined],
  ])('refuses %s %s with an error of RFC 7644', async (method, path, body, status, scimType) => {
    const { send } = await opened()
    const answer = await send({ method, path, ...(body && { body }) })
    expect([answer.status, answer.body.status, answer.body.scimType]).toEqual([
      status,
      String(status),
      scimType,
    ])
    expect(answer.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error'])
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('creates nobody without users.create, and says so', async () => {
    const { find, get } = userTable(NAMES).users
    const { send } = await opened({ users: { find, get } })
    expect((await send({ method: 'POST', path: '/Users', body: { userName: 'new' } })).status).toBe(
      501,
    )
    const known = await send({ method: 'POST', path: '/Users', body: { userName: 'ADA' } })
    expect([known.status, known.body.scimType]).toEqual([409, 'uniqueness'])
  })

  it('describes itself', async () => {
    const { send } = await opened()
    const get = async (path: string) => (await send({ method: 'GET', path })).body
    expect(await get('/ServiceProviderConfig')).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
    })
    const types = (await get('/ResourceTypes')).Resources
    for (const { id, schema, meta } of types) {
      expect(await get(`/ResourceTypes/${id}`)).toMatchObject({ endpoint: `/${id}s` })
      expect(await get(`/Schemas/${schema}`)).toMatchObject({ id: schema, name: id })
      expect(meta.location).toBe(`/scim/v2/ResourceTypes/${id}`)
    }
    expect(types.map(({ id }: { id: string }) => id)).toEqual(['User', 'Group'])
  })

  it('tells the host of a fault, and the directory the id of the request', async () => {
    const { users } = userTable(NAMES)
    const causes: unknown[] = []
    const { send } = await opened({
      users: { ...users, get: () => Promise.reject(new Error('no database')) },
      onError: (cause) => causes.push(cause),
    })
    const headers = { 'x-request-id': 'r-1' }
    const {
      status,
      body,
      headers: got,
    } = await send({ method: 'GET', path: '/Users/ada', headers })
    expect([status, got.get('x-request-id'), causes]).toEqual([
      500,
      'r-1',
      [new Error('no database')],
    ])
    expect(JSON.stringify(body)).not.toContain('database')
  })

  it('tells the host of every request that is refused or fails, with its provider', async () => {
    const told: ScimRefused[] = []
    const { users } = userTable(NAMES)
    const fault = new Error('no database')
    const { send, place } = await opened({
      users: { ...users, get: () => Promise.reject(fault) },
      onError: () => {},
      onRefused: (refused) => {
        told.push(refused)
        throw new Error('no log')
      },
    })
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => logged.mockRestore())
    const filter = { method: 'GET', path: '/Users?filter=userName co "x"' }
    expect((await send(filter)).status).toBe(400)
    expect((await send({ method: 'GET', path: '/Users/ada' }, 'okta')).status).toBe(500)
    expect((await send({ method: 'GET', path: '/Users' }, 'nobody')).status).toBe(401)
    expect((await send({ method: 'GET', path: '/Users' })).status).toBe(200)
    expect(told).toEqual([
      {
        place: place('entra'),
        method: 'GET',
        path: '/scim/v2/Users',
        status: 400,
        detail: expect.stringContaining('eq'),
        scimType: 'invalidFilter',
      },
      {
        place: place('okta'),
        method: 'GET',
        path: '/scim/v2/Users/ada',
        status: 500,
        detail: expect.any(String),
        cause: fault,
      },
      {
        method: 'GET',
        path: '/scim/v2/Users',
        status: 401,
        detail: expect.any(String),
      },
    ])
    await vi.waitFor(() => expect(logged).toHaveBeenCalledTimes(6))
  })

  it('is served by node:http', async () => {
    const { handler } = await opened()
    const server = createServer(handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      const headers = { authorization: 'Bearer entra', 'content-type': 'application/scim+json' }
      const url = `http://127.0.0.1:${port}/scim/v2`
      const body = JSON.stringify({ displayName: 'finance' })
      const created = await fetch(`${url}/Groups`, { method: 'POST', headers, body })
      const { id } = await created.json()
      const removed = await fetch(`${url}/Groups/${id}`, { method: 'DELETE', headers })
      expect([created.status, removed.status]).toEqual([201, 204])
    } finally {
      server.close()
    }
  })
})

describe('scimHandler', () => {
  it('refuses options that are missing, unknown or malformed', async () => {
    const { iam } = await openHost()
    const { users } = userTable()
    const authenticate = () => undefined
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ users }, /authenticate must be a function/],
      [{ authenticate }, /users must have find and get/],
      [{ authenticate, users, records: {} }, /records must have read, write and list/],
      [{ authenticate, users, leavers: 'none' }, /leavers must be/],
      [{ authenticate, users, onRefused: 'x' }, /onRefused must be a function/],
      [{ authenticate, users, basePath: '/scim/' }, /basePath must be a path/],
      [{ authenticate, users, organizationHeader: 'x' }, /has no option organizationHeader/],
    ]
    for (const [options, message] of wrong)
      expect(() => Reflect.apply(scimHandler, undefined, [iam, options])).toThrow(message)
    expect(() => Reflect.apply(scimHandler, undefined, [{}, { authenticate, users }])).toThrow(
      'iam must be made by createIam',
    )
  })
})
