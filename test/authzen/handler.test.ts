import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Iam, orThrow } from 'claviger'
import { type AuthZenOptions, authZenHandler } from 'claviger/authzen'
import express from 'express'
import { errAsync } from 'neverthrow'
import { afterEach, describe, expect, it } from 'vitest'
import {
  addProject,
  authenticate,
  callers,
  clientOf,
  IDENTIFIER,
  openIam,
  RECORDS,
  scenario,
} from './host.js'

const EVALUATION = '/access/v1/evaluation'
const EVALUATIONS = '/access/v1/evaluations'
const SUBJECTS = '/access/v1/search/subject'
const RESOURCES = '/access/v1/search/resource'
const ACTIONS = '/access/v1/search/action'
const PATHS = [EVALUATION, EVALUATIONS, SUBJECTS, RESOURCES, ACTIONS]

const alice = { type: 'user', id: 'alice' }
const read = { name: 'read' }
const record1 = { type: 'record', id: 'record-1' }
const fixture = { subject: alice, action: read, resource: record1 }
const project1 = { type: 'project', id: 'record-1' }

const iam = await scenario()

describe('a request', () => {
  const { send, ask } = clientOf(iam, { resources: RECORDS })

  it.each(PATHS)('without a caller is answered 401, before its body is read: %s', async (path) => {
    const answers = await Promise.all(
      ['nonsense', fixture].map(async (body) => {
        const response = await send(path, body, { token: 'nobody' })
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
        return [response.status, await response.text()]
      }),
    )
    expect(answers).toEqual(answers.map(() => [401, 'The call has no authenticated caller']))
  })

  it.each(PATHS)('of a caller who may not ask is answered 403: %s', async (path) => {
    expect((await send(path, fixture, { token: 'guest' })).status).toBe(403)
    const abroad = { token: 'globex', headers: { 'x-service-orgid': 'acme' } }
    expect((await send(path, fixture, abroad)).status).toBe(403)
  })

  it.each(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'])(
    'is answered 403 where no question of a batch may be asked: %s',
    async (semantic) => {
      const options = { evaluations_semantic: semantic }
      const batch = { ...fixture, evaluations: [{}, {}], options }
      expect((await send(EVALUATIONS, batch, { token: 'guest' })).status).toBe(403)
    },
  )

  it('for another path gets 404 from any caller', async () => {
    const paths = [
      '/',
      '/access/v1',
      '/access/v1/evaluation/',
      '/toString',
      '/access/v1/constructor',
    ]
    for (const path of paths)
      for (const token of ['admin', 'nobody']) {
        const response = await send(path, fixture, { token })
        expect([response.status, await response.text()]).toEqual([404, 'No such path'])
      }
  })

  it('with another method is answered 405', async () => {
    const got = await send(EVALUATION)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
    const posted = await send('/.well-known/authzen-configuration', {})
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('that is larger than 1 MiB is answered 413, a compressed one 415', async () => {
    const large = { ...fixture, padding: 'x'.repeat(1024 * 1024) }
    expect((await send(EVALUATION, large)).status).toBe(413)
    const headers = { 'content-encoding': 'gzip' }
    expect((await send(EVALUATION, fixture, { headers })).status).toBe(415)
  })

  it.each([
    ['too deep', `{"subject":${'['.repeat(33)}${']'.repeat(33)}}`, 'at most 32 levels deep'],
    ['far too deep', '['.repeat(100_000), 'must be JSON'],
    ['a list', '[]', 'must be an object'],
    [
      'a name twice',
      JSON.stringify(fixture).replace('"id":', '"id":"nobody","\\u0069d":'),
      'subject.id must not be given twice',
    ],
    ['a context that is text', { ...fixture, context: 'now' }, 'context must be an object'],
    [
      'properties that are text',
      { ...fixture, subject: { ...alice, properties: '' } },
      'properties',
    ],
    ['no time', { ...fixture, context: { at: 'yesterday' } }, 'context.at must be'],
    ['no day', { ...fixture, context: { at: '2026-02-30T00:00:00Z' } }, 'context.at must be'],
    ['a number as time', { ...fixture, context: { at: 1 } }, 'context.at must be'],
    ['the future', { ...fixture, context: { at: '2999-01-01T00:00:00Z' } }, 'context.at'],
  ])('is answered 400: %s', async (_, body, message) => {
    const response = await send(EVALUATION, body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(message)
  })

  it.each([
    [{ evaluations: Array.from({ length: 101 }, () => ({})) }, 'at most 100'],
    [{ evaluations: {} }, 'must be a list'],
    [{ options: { evaluations_semantic: 'maybe' }, evaluations: [{}] }, 'must be one of'],
    [{ options: 1, evaluations: [{}] }, 'options must be an object'],
  ])('for a batch is answered 400: %#', async (more, message) => {
    const response = await send(EVALUATIONS, { ...fixture, ...more })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(message)
  })

  it.each([
    { limit: -1 },
    { limit: 1.5 },
    { limit: '1' },
    { token: 1 },
    { token: 'made up' },
    { token: '%5B%5D' },
    { token: '%' },
  ])('for a page is answered 400: %j', async (page) => {
    expect((await send(SUBJECTS, { ...fixture, page })).status).toBe(400)
  })

  // Serializers of Java, C# and Go write fields that are not set as null.
  it.each([
    [EVALUATION, { context: null }],
    [EVALUATION, { context: { at: null } }],
    [EVALUATION, { subject: { ...alice, properties: null } }],
    [EVALUATIONS, { evaluations: null, options: null }],
    [EVALUATIONS, { evaluations: [{}], options: { evaluations_semantic: null } }],
    [SUBJECTS, { page: null }],
    [SUBJECTS, { page: { token: null, limit: null } }],
  ])('takes null for absent: %s %j', async (path, more) => {
    expect((await send(path, { ...fixture, ...more })).status).toBe(200)
  })

  it('is about the organization that the header names', async () => {
    const abroad = { headers: { 'x-service-orgid': 'globex' } }
    expect(await ask(EVALUATION, fixture, abroad)).toEqual({
      status: 200,
      body: { decision: false, context: { reasons: [{ kind: 'ProjectNotFound' }] } },
    })
    const malformed = await send(EVALUATION, fixture, { headers: { 'x-service-orgid': 'a,b' } })
    expect(malformed.status).toBe(400)
  })

  it('with an id that nothing can have is a "no", and finds nothing', async () => {
    const long = 'x'.repeat(1000)
    for (const part of [
      { subject: { type: 'user', id: long } },
      { subject: { type: 'group', id: 'alice' } },
      { action: { name: long } },
      { resource: { type: 'record', id: `record-${long}` } },
      { resource: { type: 'record', id: 'other' } },
      { resource: { type: 'toString', id: 'x' } },
    ]) {
      const { body } = await ask(EVALUATION, { ...fixture, ...part })
      expect(body).toMatchObject({ decision: false, context: { reasons: [{}] } })
      const searches = await Promise.all(
        [SUBJECTS, RESOURCES, ACTIONS].map((path) => ask(path, { ...fixture, ...part })),
      )
      expect(searches.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(searches.some(({ body }) => body.results.length === 0)).toBe(true)
    }
  })
})

describe('projects without types of resources', () => {
  const { ask } = clientOf(iam)

  it('are resources themselves', async () => {
    expect((await ask(EVALUATION, { ...fixture, resource: project1 })).body.decision).toBe(true)
    const owned = { type: 'project', id: 'acme/record-1' }
    expect((await ask(EVALUATION, { ...fixture, resource: owned })).body.decision).toBe(true)
    expect((await ask(EVALUATION, fixture)).body.decision).toBe(false)
    const found = await ask(RESOURCES, { ...fixture, resource: { type: 'project' } })
    expect(found.body.results).toEqual([project1])
  })
})

describe('a batch', () => {
  const batch = (semantic: string, names: readonly string[]) => ({
    subject: { type: 'user', id: 'bob' },
    resource: record1,
    evaluations: names.map((name) => ({ action: { name } })),
    options: { evaluations_semantic: semantic },
  })

  it.each([
    ['execute_all', ['read', 'write', 'read'], [true, false, true]],
    ['deny_on_first_deny', ['read', 'write', 'read'], [true, false]],
    ['permit_on_first_permit', ['write', 'read', 'read'], [false, true]],
  ])('ends as %s says', async (semantic, names, decisions) => {
    const { ask } = clientOf(iam, { resources: RECORDS })
    const { body } = await ask(EVALUATIONS, batch(semantic, names))
    const answered = body.evaluations as readonly { readonly decision: boolean }[]
    expect(answered.map(({ decision }) => decision)).toEqual(decisions)
  })

  it.each([
    ['bob', ['read', 'read', 'read'], 1],
    ['alice', ['read', 'write', 'read', 'write'], 1],
    ['nobody', ['read', 'write', 'fly'], 3],
    ['bob', ['read', 'write', 'fly', 'fly'], 3],
  ])('reads once what its questions share: %s, %j', async (id, names, reads) => {
    let checks = 0
    const check: Iam['access']['check'] = (...asked) => {
      checks++
      return iam.access.check(...asked)
    }
    const counting = { ...iam, access: { ...iam.access, check } }
    const { ask } = clientOf(counting, { resources: RECORDS })
    await ask(EVALUATIONS, { ...batch('execute_all', names), subject: { type: 'user', id } })
    expect(checks).toBe(reads)
  })
})

describe('the past', () => {
  it('is answered as it was', async () => {
    const { iam, clock } = openIam()
    const context = { caller: callers.admin }
    await addProject(iam, 'record-1', { reader: ['read'] })
    const { ask } = clientOf(iam, { resources: RECORDS })
    const before = clock().toISOString()
    clock.advance(1000)
    const grant = { userId: 'alice', projectId: 'record-1', roles: [{ roleKey: 'reader' }] }
    await orThrow(iam.userGrants.add(grant, context))
    const then = clock().toISOString().replace('Z', '+00:00')
    clock.advance(1000)
    await orThrow(iam.projectRoles.remove({ projectId: 'record-1', roleKey: 'reader' }, context))
    const found = async (at: string | undefined) => {
      const asked = { ...fixture, ...(at && { context: { at } }) }
      const { body } = await ask(EVALUATION, asked)
      const searches = [SUBJECTS, RESOURCES, ACTIONS].map((path) => ask(path, asked))
      const counts = (await Promise.all(searches)).map(({ body }) => body.results.length)
      return [body.decision, ...counts]
    }
    expect(await found(before)).toEqual([false, 0, 0, 0])
    expect(await found(then)).toEqual([true, 1, 1, 1])
    expect(await found(undefined)).toEqual([false, 0, 0, 0])
  })
})

describe('tenants', () => {
  it('find no users of each other, and the owner finds no users of the organizations that it granted its project to', async () => {
    const { iam } = openIam()
    await addProject(iam, 'shop', { reader: ['read'], writer: ['read', 'write'] })
    const acme = { caller: callers.admin }
    const globex = { caller: callers.admin, orgId: 'globex' }
    await orThrow(
      iam.projectGrants.add(
        { projectId: 'shop', grantedOrgId: 'globex', roleKeys: ['reader', 'writer'] },
        acme,
      ),
    )
    const roles = [{ roleKey: 'reader' }, { roleKey: 'writer' }]
    for (const userId of ['ann', 'both'])
      await orThrow(iam.userGrants.add({ userId, projectId: 'shop', roles }, acme))
    for (const userId of ['both', 'gus'])
      await orThrow(
        iam.userGrants.add({ userId, projectId: 'shop', projectOrgId: 'acme', roles }, globex),
      )
    const { ask } = clientOf(iam)
    const found = async (id: string, orgId: string, limit: number) => {
      const ids: string[] = []
      let token = ''
      do {
        const asked = {
          subject: { type: 'user' },
          action: read,
          resource: { type: 'project', id },
          page: { token, limit },
        }
        const { body } = await ask(SUBJECTS, asked, { headers: { 'x-service-orgid': orgId } })
        expect(body.results.length).toBeLessThanOrEqual(limit)
        for (const { id } of body.results) ids.push(id)
        token = body.page.next_token
      } while (token !== '')
      return ids
    }
    for (const limit of [1, 2, 3, 100]) {
      expect(await found('shop', 'acme', limit)).toEqual(['ann', 'both'])
      expect(await found('acme/shop', 'globex', limit)).toEqual(['both', 'gus'])
      expect(await found('shop', 'globex', limit)).toEqual([])
    }
    // A caller of globex needs no permission in the organization that owns the project.
    const asked = {
      subject: { type: 'user' },
      action: read,
      resource: { type: 'project', id: 'acme/shop' },
    }
    expect((await ask(SUBJECTS, asked, { token: 'globex' })).body.results).toEqual([
      { type: 'user', id: 'both' },
      { type: 'user', id: 'gus' },
    ])
    const held = {
      subject: { type: 'user', id: 'gus' },
      action: read,
      resource: { type: 'project' },
    }
    expect((await ask(RESOURCES, held, { token: 'globex' })).body.results).toEqual([
      { type: 'project', id: 'acme/shop' },
    ])
  })
})

describe('an evaluation of a batch', () => {
  const { ask } = clientOf(iam, { resources: RECORDS })

  it.each([
    ['subject', { id: 'alice' }, 'subject.type must be text'],
    ['subject', { type: 'user' }, 'subject.id must be text'],
    ['subject', {}, 'subject.type must be text'],
    ['subject', null, 'subject must be an object'],
    ['action', {}, 'action.name must be text'],
    ['resource', { type: 'record' }, 'resource.id must be text'],
    ['resource', { id: 'record-1' }, 'resource.type must be text'],
  ])('takes no member of the default %s: %j', async (part, own, message) => {
    const { body } = await ask(EVALUATIONS, { ...fixture, evaluations: [{ [part]: own }, {}] })
    expect(body.evaluations).toEqual([
      { decision: false, context: { error: { status: 400, message } } },
      { decision: true },
    ])
  })
})

describe('a request that its client has aborted', () => {
  it('is answered 499, and is no fault of the host', async () => {
    const faults: unknown[] = []
    const left = new AbortController()
    const handler = authZenHandler(iam, {
      authenticate,
      identifier: IDENTIFIER,
      onError: (cause) => faults.push(cause),
      resources: {
        record: {
          project: () => {
            left.abort()
            throw left.signal.reason
          },
          id: () => undefined,
        },
      },
    })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer admin' },
      body: JSON.stringify(fixture),
      signal: left.signal,
    }
    const response = await handler(new Request(`${IDENTIFIER}${EVALUATION}`, init))
    expect([response.status, faults]).toEqual([499, []])
  })
})

describe('a search', () => {
  it('is one read, also among many users of other organizations and many roles', async () => {
    const { iam } = openIam()
    await addProject(iam, 'shop', { reader: ['read'], writer: ['read', 'write'] })
    const acme = { caller: callers.admin }
    const globex = { caller: callers.admin, orgId: 'globex' }
    const granted = { projectId: 'shop', grantedOrgId: 'globex', roleKeys: ['reader', 'writer'] }
    await orThrow(iam.projectGrants.add(granted, acme))
    const grant = { projectId: 'shop', roles: [{ roleKey: 'reader' }, { roleKey: 'writer' }] }
    for (let user = 10; user < 25; user++)
      await orThrow(iam.userGrants.add({ ...grant, userId: `u${user}` }, acme))
    await orThrow(iam.userGrants.add({ ...grant, userId: 'gus', projectOrgId: 'acme' }, globex))
    const reads: string[] = []
    const access = Object.fromEntries(
      Object.entries(iam.access).map(([name, method]) => [
        name,
        (...asked: [never, never]) => {
          reads.push(name)
          return Reflect.apply(method, undefined, asked)
        },
      ]),
    )
    const { ask } = clientOf({ ...iam, access: { ...iam.access, ...access } })
    const resource = { type: 'project', id: 'acme/shop' }
    const subject = { type: 'user', id: 'gus' }
    const asked = { ...fixture, subject, resource, page: { limit: 1 } }
    const headers = { 'x-service-orgid': 'globex' }
    const last = { next_token: '' }
    const users = await ask(SUBJECTS, asked, { headers })
    expect(users.body).toEqual({ results: [subject], page: last })
    const resources = await ask(RESOURCES, asked, { headers })
    expect(resources.body).toEqual({ results: [resource], page: last })
    expect(reads).toEqual(['users', 'scopesOf'])
  })
})

describe('a page token', () => {
  it('is of one question, in one organization', async () => {
    const { send, ask } = clientOf(iam, { resources: RECORDS })
    const { body } = await ask(SUBJECTS, { ...fixture, page: { limit: 1 } })
    const page = { token: body.page.next_token }
    const others = [
      { ...fixture, action: { name: 'write' }, page },
      { ...fixture, resource: { type: 'record', id: 'record-2' }, page },
      { ...fixture, context: { at: new Date(0).toISOString() }, page },
      { ...fixture, context: { ip: '192.168.1.1' }, page },
      { ...fixture, page: { ...page, limit: 2 } },
      { ...fixture, page: { ...page, limit: 0 } },
    ]
    for (const other of others) expect((await send(SUBJECTS, other)).status).toBe(400)
    for (const path of [RESOURCES, ACTIONS])
      expect((await send(path, { ...fixture, page })).status).toBe(400)
    const abroad = { headers: { 'x-service-orgid': 'globex' } }
    expect((await send(SUBJECTS, { ...fixture, page }, abroad)).status).toBe(400)
    for (const more of [{}, { limit: 1 }])
      expect((await send(SUBJECTS, { ...fixture, page: { ...page, ...more } })).status).toBe(200)
  })

  it.each([
    [SUBJECTS, [alice, { type: 'user', id: 'bob' }]],
    [ACTIONS, [read, { name: 'write' }]],
  ])('of a page without results leads to the first result: %s', async (path, all) => {
    const { ask } = clientOf(iam, { resources: RECORDS })
    const none = await ask(path, { ...fixture, page: { limit: 0 } })
    expect(none).toMatchObject({ status: 200, body: { results: [] } })
    const token = none.body.page.next_token
    expect((await ask(path, { ...fixture, page: { token } })).body.results).toEqual(all)
    const one = await ask(path, { ...fixture, page: { token, limit: 1 } })
    expect(one.body.results).toEqual(all.slice(0, 1))
  })
})

describe('a failure', () => {
  it('shows its cause to the host alone', async () => {
    const seen: unknown[] = []
    const secret = new Error('secret')
    const { send } = clientOf(iam, {
      resources: { record: { project: () => Promise.reject(secret), id: () => undefined } },
      onError: (cause, failure) => seen.push([cause, failure]),
    })
    const response = await send(EVALUATION, fixture)
    const correlationId = response.headers.get('x-request-id')
    expect([response.status, await response.text()]).toEqual([
      500,
      'An unexpected error. Tell the operator the X-Request-ID',
    ])
    expect(seen).toEqual([[secret, { correlationId, method: `POST ${EVALUATION}` }]])
  })

  it('of the store is answered 503, and so is all of a batch', async () => {
    const unavailable = {
      kind: 'Unavailable',
      outcome: 'not_recorded',
      retryAfter: 1500,
      cause: new Error('secret'),
    } as const
    const broken: Iam = { ...iam, access: { ...iam.access, check: () => errAsync(unavailable) } }
    const { send } = clientOf(broken, { resources: RECORDS, onError: () => {} })
    for (const path of [EVALUATION, EVALUATIONS]) {
      const response = await send(path, { ...fixture, evaluations: [{}] })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
      expect(await response.text()).not.toContain('secret')
    }
  })

  it('of authenticate is an error of the library with its status, or a 500', async () => {
    const answered = async (authenticate: AuthZenOptions['authenticate']) => {
      const { send } = clientOf(iam, { resources: RECORDS, authenticate, onError: () => {} })
      return (await send(EVALUATION, fixture)).status
    }
    expect(await answered(() => ({ kind: 'Unauthenticated' }))).toBe(401)
    const missing = { kind: 'PermissionDenied', permission: 'event.read', orgId: 'acme' } as const
    expect(await answered(async () => missing)).toBe(403)
    expect(await answered(() => Promise.reject(new Error('down')))).toBe(500)
    expect(await answered(() => ({ userId: '', orgId: 'acme' }))).toBe(500)
  })
})

describe('a server of Node.js', () => {
  const servers: AsyncDisposable[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
  })

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const post = async (url: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer admin',
        'content-type': 'application/json',
        'x-request-id': '7',
      },
      body: JSON.stringify(fixture),
    })
    return [response.status, response.headers.get('x-request-id'), await response.text()]
  }

  const options = { authenticate, identifier: `${IDENTIFIER}/authz`, resources: RECORDS }
  const yes = [200, '7', '{"decision":true}']

  it('is served', async () => {
    const origin = await serve(authZenHandler(iam, options))
    expect(await post(`${origin}${EVALUATION}`)).toEqual(yes)
    expect((await post(`${origin}/other`))[0]).toBe(404)
    const discovery = await fetch(`${origin}/.well-known/authzen-configuration/authz`)
    expect(await discovery.json()).toMatchObject({
      policy_decision_point: `${IDENTIFIER}/authz`,
      access_evaluation_endpoint: `${IDENTIFIER}/authz${EVALUATION}`,
    })
  })

  it('may be one of Express, with a prefix and a parser of bodies', async () => {
    const app = express()
      .use(express.json())
      .use(authZenHandler(iam, { ...options, basePath: '/authz' }))
      .use((_, response) => void response.status(418).send(''))
    const origin = await serve(app)
    expect(await post(`${origin}/authz${EVALUATION}`)).toEqual(yes)
    expect((await post(`${origin}${EVALUATION}`))[0]).toBe(418)
  })
})

describe('options', () => {
  const options = { authenticate, identifier: IDENTIFIER }

  it.each<readonly [given: object, message: string]>([
    [{ ...options, identifer: '' }, 'authZenHandler has no option identifer'],
    [{ authenticate }, 'identifier must be an https URL'],
    ...['http://pdp.example.com', 'https://x/', 'https://x?y', 'https://', 'pdp'].map(
      (identifier) => [{ authenticate, identifier }, 'identifier must be an https URL'] as const,
    ),
    [{ identifier: IDENTIFIER }, 'authenticate must be a function'],
    [{ ...options, resources: { record: {} } }, 'resources must have functions project and id'],
    [{ ...options, basePath: '/x/' }, 'basePath must be a path'],
  ])('are checked: %j', (given, message) => {
    expect(() => authZenHandler(iam, given as never)).toThrow(message)
  })

  it('may have an identifier of http on this machine', () => {
    for (const identifier of ['http://localhost:8080', 'http://127.0.0.1:1/authz'])
      expect(authZenHandler(iam, { authenticate, identifier })).toBeTypeOf('function')
  })

  it('come after what createIam returns', () => {
    expect(() => authZenHandler({} as never, options)).toThrow('iam must be made by createIam')
  })
})
