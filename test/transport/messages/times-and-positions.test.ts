import { create, toBinary } from '@bufbuild/protobuf'
import { ProjectService } from 'claviger/client'
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../src/transport/grpc/codec.js'
import { readJson } from '../../../src/transport/json/read.js'
import { Refusal } from '../../../src/transport/operations/refusal.js'
import {
  GetProjectStateRequest as fields,
  ListHistoryRequest as history,
} from '../../../src/transport/wire.js'
import { openHost, violationsIn } from '../http-client.js'

const { input } = ProjectService.method.getProjectState
const A_TIME = 'must be a time of RFC 3339 in the years 1 to 9999'
const A_POSITION = 'must be a whole number from 0 to 2^64 - 1'

/** What a message of protobuf is read as. */
const readTimestamp = (timestamp: object) =>
  readMessage(fields, toBinary(input, create(input, { id: 'portal', time: timestamp } as object)))

/** What is told of a request that is refused. */
const refusalOf = (read: () => unknown) => {
  try {
    return read()
  } catch (thrown) {
    return thrown instanceof Refusal ? violationsIn(thrown.status as never) : thrown
  }
}

describe('A time in a request', () => {
  it.each([
    ['2026-02-03T04:05:06Z', '2026-02-03T04:05:06.000Z'],
    ['2026-02-03T04:05:06.7Z', '2026-02-03T04:05:06.700Z'],
    ['2026-02-03T04:05:06.123999999Z', '2026-02-03T04:05:06.123Z'],
    ['2026-02-03T04:05:06+05:30', '2026-02-02T22:35:06.000Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
  ])('may be %s', (time, read) => {
    expect(readJson(fields, { time })).toMatchObject({ time: new Date(read) })
  })

  it.each([
    '',
    '2026-02-03',
    '2026-02-03T04:05:06',
    '2026-02-03 04:05:06Z',
    '2026-02-03t04:05:06z',
    '2026-02-03T04:05:06.Z',
    '2026-02-03T04:05:06.1234567890Z',
    '2026-02-30T00:00:00Z',
    '2026-02-28T24:00:00Z',
    '2026-02-28T23:59:60Z',
    '2026-02-28T12:00:00+25:00',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+002026-02-03T04:05:06Z',
    '1770091506000',
    'now',
  ])('may not be %j, wherever it stands', async (time) => {
    const { call } = await openHost()
    const query = await call(
      'GET',
      `/v1/projects/portal/history/state?time=${encodeURIComponent(time)}`,
    )
    expect([query.status, violationsIn(query.json)]).toEqual([400, { time: A_TIME }])
    const path = `/${ProjectService.typeName}/GetProjectState`
    const posted = await call('POST', path, JSON.stringify({ id: 'portal', time }))
    expect([posted.status, violationsIn(posted.json)]).toEqual([400, { time: A_TIME }])
  })

  it.each([[true], [1_770_091_506], [{ seconds: '1' }], [['2026-02-03T04:05:06Z']]])(
    'may not be %j in JSON',
    async (time) => {
      const { call } = await openHost()
      const path = `/${ProjectService.typeName}/GetProjectState`
      const posted = await call('POST', path, JSON.stringify({ id: 'portal', time }))
      expect([posted.status, violationsIn(posted.json)]).toEqual([400, { time: A_TIME }])
    },
  )

  it('is read to the millisecond in protobuf', () => {
    const { time } = readTimestamp({ seconds: -1n, nanos: 999_999_999 })
    expect(time).toEqual(new Date('1969-12-31T23:59:59.999Z'))
  })

  it.each([
    { seconds: 0n, nanos: -1 },
    { seconds: 0n, nanos: 1_000_000_000 },
    { seconds: 253_402_300_800n, nanos: 0 },
    { seconds: -62_135_596_801n, nanos: 999_999_999 },
    { seconds: 2n ** 63n - 1n, nanos: 0 },
  ])('may not be $seconds s and $nanos ns in protobuf', (timestamp) => {
    expect(refusalOf(() => readTimestamp(timestamp))).toEqual({ time: A_TIME })
  })

  it('has no unknown fields in protobuf', () => {
    const timestamp = { seconds: 1n, nanos: 0 }
    const message = create(input, { time: timestamp } as object)
    const $unknown = [{ no: 9, wireType: 0, data: new Uint8Array([1]) }]
    Object.assign(Object(Reflect.get(message, 'time')), { $unknown })
    expect(refusalOf(() => readMessage(fields, toBinary(input, message)))).toEqual({
      time: 'must not have a field numbered 9',
    })
  })
})

describe('A position in a request', () => {
  it.each([
    ['0', 0n],
    ['18446744073709551615', 2n ** 64n - 1n],
    [7, 7n],
    [2 ** 53 - 1, 2n ** 53n - 1n],
  ])('may be %j', (before, read) => {
    expect(readJson(history, { before })).toMatchObject({ before: read })
  })

  it.each([
    '',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x10',
    ' 1',
    '18446744073709551616',
    '1'.repeat(100_000),
    -1,
    1.5,
    2 ** 53,
    true,
    {},
  ])('may not be %j', (before) => {
    expect(refusalOf(() => readJson(history, { before }))).toEqual({ before: A_POSITION })
  })
})

describe('What is wrong with a request for history', () => {
  it('is reported with the field names of the request', async () => {
    const { call } = await openHost()
    const list = await call(
      'GET',
      '/v1/projects/a+b/history?page_size=1001&including=idps&order=up',
    )
    expect(Object.keys(violationsIn(list.json)).sort()).toEqual([
      'id',
      'including',
      'order',
      'pageSize',
    ])
    const state = await call('GET', '/v1/projects/a+b/history/state')
    expect(Object.keys(violationsIn(state.json)).sort()).toEqual(['id', 'sequence'])
    const role = await call('GET', '/v1/projects/portal/role/history?page_size=1')
    expect(violationsIn(role.json)).toEqual({ roleKey: 'must not be empty' })
  })

  it('is that neither time nor position is given, or both are', async () => {
    const { call } = await openHost()
    for (const query of ['', '?sequence=1&time=2026-02-03T04:05:06Z']) {
      const state = await call('GET', `/v1/projects/portal/history/state${query}`)
      expect([state.status, Object.keys(violationsIn(state.json))]).toEqual([400, ['sequence']])
    }
  })

  it('is that of another type, which a request cannot name', async () => {
    const { call } = await openHost()
    const state = await call('GET', '/v1/projects/portal/history?type=project_role')
    expect(violationsIn(state.json)).toEqual({ type: 'is not a query parameter of this method' })
  })
})
