import { describe, expect, it } from 'vitest'
import { type Asked, clientOf, IDENTIFIER, RECORDS, scenario } from './host.js'
import { expectShape, isRequest } from './schemas.js'

// The certification scenario of the Authorization API 1.0, by its numbers: Basic Core, Batch Core, Search Core and
// Discovery. Its Properties levels are not claimed.

const { send } = clientOf(await scenario(), { resources: RECORDS })

const EVALUATION = '/access/v1/evaluation'
const EVALUATIONS = '/access/v1/evaluations'
const SUBJECTS = '/access/v1/search/subject'
const RESOURCES = '/access/v1/search/resource'
const ACTIONS = '/access/v1/search/action'

const alice = { type: 'user', id: 'alice' }
const bob = { type: 'user', id: 'bob' }
const read = { name: 'read' }
const write = { name: 'write' }
const record1 = { type: 'record', id: 'record-1' }
const record2 = { type: 'record', id: 'record-2' }
const fixture = { subject: alice, action: read, resource: record1 }

/** The answer to a request; both have the shape that the specification gives them. */
const ask = async (path: string, body: object, asked?: Asked) => {
  expectShape(path, 'request', body)
  const response = await send(path, body, asked)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  const answer = await response.json()
  expectShape(path, 'answer', answer)
  return answer
}

const decisionsOf = (answer: { readonly evaluations: readonly { readonly decision: boolean }[] }) =>
  answer.evaluations.map(({ decision }) => decision)

describe('Basic Core', () => {
  it('2.2.1 permits', async () => {
    expect(await ask(EVALUATION, fixture)).toEqual({ decision: true })
  })

  it('2.2.2 denies', async () => {
    const asked = { subject: bob, action: write, resource: record1 }
    expect(await ask(EVALUATION, asked)).toMatchObject({ decision: false })
  })

  it('2.2.3 takes a context', async () => {
    const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' }
    expect(await ask(EVALUATION, { ...fixture, context })).toEqual({ decision: true })
  })

  it('2.2.8 takes additional properties', async () => {
    const asked = {
      subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
      action: { ...read, properties: { method: 'GET' } },
      resource: { ...record1, properties: { status: 'active', owner: 'bob' } },
    }
    expect(await ask(EVALUATION, asked)).toEqual({ decision: true })
  })

  it('2.2.9 ignores unknown fields', async () => {
    const asked = { ...fixture, foo: 'bar', futureField: { nested: true } }
    expect(await ask(EVALUATION, asked)).toEqual({ decision: true })
  })

  it.each([
    [alice, read, true],
    [alice, write, true],
    [bob, read, true],
    [bob, write, false],
  ])('1.4 decides as the fixture says: %j %j', async (subject, action, decision) => {
    expect(await ask(EVALUATION, { subject, action, resource: record1 })).toMatchObject({
      decision,
    })
  })

  it('2.3 answers with a boolean, and with an object as its context', async () => {
    const { decision, context } = await ask(EVALUATION, { ...fixture, action: { name: 'fly' } })
    expect(decision).toBe(false)
    expect(context).toEqual({ reasons: [{ kind: 'PermissionNotGranted' }] })
  })

  it.each([
    ['2.4.1 no subject', { action: read, resource: record1 }],
    ['2.4.1 no action', { subject: alice, resource: record1 }],
    ['2.4.1 no resource', { subject: alice, action: read }],
    ['2.4.2 no type of the subject', { ...fixture, subject: { id: 'alice' } }],
    ['2.4.2 no id of the subject', { ...fixture, subject: { type: 'user' } }],
    ['2.4.2 no name of the action', { ...fixture, action: {} }],
    ['2.4.2 no type of the resource', { ...fixture, resource: { id: 'record-1' } }],
    ['2.4.2 no id of the resource', { ...fixture, resource: { type: 'record' } }],
    ['2.4.6 a subject that is text', { ...fixture, subject: 'alice' }],
    ['2.4.6 a name that is a number', { ...fixture, action: { name: 123 } }],
  ])('answers 400: %s', async (_, body) => {
    expect(isRequest(EVALUATION, body)).toBe(false)
    expect((await send(EVALUATION, body)).status).toBe(400)
  })

  it.each([
    ['2.4.3 another content type', JSON.stringify(fixture), 'text/plain'],
    ['2.4.4 malformed JSON', '{"subject":', 'application/json'],
    ['2.4.5 an empty body', '', 'application/json'],
  ])('answers 400: %s', async (_, body, type) => {
    const response = await send(EVALUATION, body, { headers: { 'content-type': type } })
    expect(response.status).toBe(400)
  })

  it('2.5.1 echoes X-Request-ID, with an error too', async () => {
    const asked = { headers: { 'x-request-id': 'bfe9eb29-ab87' } }
    for (const body of [fixture, {}]) {
      const response = await send(EVALUATION, body, asked)
      expect(response.headers.get('x-request-id')).toBe('bfe9eb29-ab87')
    }
  })

  it('2.5.2 does not need X-Request-ID', async () => {
    expect((await send(EVALUATION, fixture)).status).toBe(200)
  })

  it('2.6 decides the same again', async () => {
    for (let time = 0; time < 5; time++)
      expect(await ask(EVALUATION, fixture)).toEqual({ decision: true })
  })
})

describe('Batch Core', () => {
  it('3.2.1 answers every evaluation', async () => {
    const evaluations = [{ resource: record1 }, { resource: record2 }]
    const answer = await ask(EVALUATIONS, { subject: alice, action: read, evaluations })
    expect(decisionsOf(answer)).toEqual([true, false])
  })

  it('3.2.2 decides as the fixture says, in the order of the request', async () => {
    const evaluations = [{ action: read }, { action: write }]
    const answer = await ask(EVALUATIONS, { subject: bob, resource: record1, evaluations })
    expect(decisionsOf(answer)).toEqual([true, false])
  })

  it('3.2.5 takes evaluations without defaults', async () => {
    const evaluations = [fixture, { subject: bob, action: write, resource: record1 }]
    expect(decisionsOf(await ask(EVALUATIONS, { evaluations }))).toEqual([true, false])
  })

  it('3.2.6 gives the context to evaluations without one', async () => {
    const answer = await ask(EVALUATIONS, {
      subject: alice,
      action: read,
      context: { time: '2025-06-27T18:03-07:00' },
      evaluations: [
        { resource: record1 },
        { resource: record2, context: { time: '2025-06-27T19:00-07:00' } },
      ],
    })
    expect(decisionsOf(answer)).toEqual([true, false])
  })

  it('3.2.7 takes a part of an evaluation as it is, without members of the default (advisory)', async () => {
    const answer = await ask(EVALUATIONS, {
      subject: alice,
      action: write,
      resource: { type: 'record' },
      evaluations: [{ resource: { id: 'record-1' } }, { resource: record1 }, {}],
    })
    expect(decisionsOf(answer)).toEqual([false, true, false])
    expect(answer.evaluations?.[0]?.context).toEqual({
      error: { status: 400, message: 'resource.type must be text' },
    })
  })

  it('3.3 answers as many, without a decision of the whole', async () => {
    const evaluations = Array.from({ length: 100 }, (_, index) => ({
      action: index % 3 === 0 ? write : read,
    }))
    const answer = await ask(EVALUATIONS, { subject: bob, resource: record1, evaluations })
    expect(decisionsOf(answer)).toEqual(evaluations.map(({ action }) => action === read))
    expect(answer).not.toHaveProperty('decision')
  })

  it('3.4.1 answers an evaluation that is malformed by itself', async () => {
    const answer = await ask(EVALUATIONS, {
      subject: alice,
      action: read,
      evaluations: [{ resource: record1 }, {}],
    })
    expect(answer.evaluations).toEqual([
      { decision: true },
      {
        decision: false,
        context: { error: { status: 400, message: 'resource must be an object' } },
      },
    ])
  })

  it.each([
    ['3.4.2', {}],
    ['3.4.3', { evaluations: [] }],
  ])('%s answers one evaluation where there are none', async (_, more) => {
    expect(await ask(EVALUATIONS, { ...fixture, ...more })).toEqual({ decision: true })
  })
})

describe('Search Core', () => {
  const subjects = { subject: { type: 'user' }, action: read, resource: record1 }
  const resources = { subject: alice, action: read, resource: { type: 'record' } }
  const actions = { subject: alice, resource: record1 }

  it('4.2.1 finds subjects', async () => {
    const { results } = await ask(SUBJECTS, subjects)
    expect(results).toEqual([alice, bob])
  })

  it('4.3.1 finds resources', async () => {
    expect((await ask(RESOURCES, resources)).results).toEqual([record1])
  })

  it('4.4.1 finds actions', async () => {
    expect((await ask(ACTIONS, actions)).results).toEqual([read, write])
  })

  it.each([
    ['4.2.2', SUBJECTS, subjects, 2],
    ['4.3', RESOURCES, resources, 1],
    ['4.4.2', ACTIONS, actions, 2],
  ])('%s takes a context', async (_, path, body, found) => {
    const context = { time: '2025-06-27T18:03-07:00' }
    expect((await ask(path, { ...body, context })).results).toHaveLength(found)
  })

  it.each([
    ['4.2.3 of the subject', SUBJECTS, { ...subjects, subject: bob }, 2],
    ['4.3.2 of the resource', RESOURCES, { ...resources, resource: record2 }, 1],
  ])('ignores the id that is searched for: %s', async (_, path, body, found) => {
    expect((await ask(path, body)).results).toHaveLength(found)
  })

  it.each([
    ['subjects', SUBJECTS, subjects, [alice, bob]],
    ['actions', ACTIONS, actions, [read, write]],
  ])('4.5 answers page by page: %s', async (_, path, body, all) => {
    const first = await ask(path, { ...body, page: { limit: 1 } })
    expect(first.results).toEqual(all.slice(0, 1))
    expect(first.page.next_token).not.toBe('')
    const second = await ask(path, { ...body, page: { token: first.page.next_token } })
    expect(second).toEqual({ results: all.slice(1), page: { next_token: '' } })
  })

  it.each([
    ['4.6.1 an unknown user', ACTIONS, { ...actions, subject: { type: 'user', id: 'nobody' } }],
    ['4.6.1 an unknown user', RESOURCES, { ...resources, subject: { type: 'user', id: 'nobody' } }],
    ['4.6.1 an unknown resource', SUBJECTS, { ...subjects, resource: { type: 'record', id: 'x' } }],
    ['4.6.2 an unknown type of user', SUBJECTS, { ...subjects, subject: { type: 'spaceship' } }],
    ['4.6.2 an unknown type', RESOURCES, { ...resources, resource: { type: 'spaceship' } }],
    ['4.6.2 an unknown type', ACTIONS, { ...actions, resource: { type: 'spaceship', id: '1' } }],
  ])('finds nothing for %s: %s', async (_, path, body) => {
    expect((await ask(path, body)).results).toEqual([])
  })

  it.each([
    ['4.7.1', SUBJECTS, { subject: { type: 'user' }, resource: record1 }],
    ['4.7.1', RESOURCES, { action: read, resource: { type: 'record' } }],
    ['4.7.1', ACTIONS, { subject: alice }],
    ['4.7.2', SUBJECTS, { ...subjects, resource: { type: 'record' } }],
    ['4.7.2', RESOURCES, { ...resources, subject: { type: 'user' } }],
  ])('%s answers 400 where something is missing: %s', async (_, path, body) => {
    expect(isRequest(path, body)).toBe(false)
    expect((await send(path, body)).status).toBe(400)
  })
})

describe('Discovery', () => {
  it('6 says where everything is', async () => {
    const path = '/.well-known/authzen-configuration'
    const response = await send(path, undefined, { token: '' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const document = await response.json()
    expectShape(path, 'answer', document)
    expect(document).toEqual({
      policy_decision_point: IDENTIFIER,
      access_evaluation_endpoint: `${IDENTIFIER}${EVALUATION}`,
      access_evaluations_endpoint: `${IDENTIFIER}${EVALUATIONS}`,
      search_subject_endpoint: `${IDENTIFIER}${SUBJECTS}`,
      search_resource_endpoint: `${IDENTIFIER}${RESOURCES}`,
      search_action_endpoint: `${IDENTIFIER}${ACTIONS}`,
    })
  })
})
