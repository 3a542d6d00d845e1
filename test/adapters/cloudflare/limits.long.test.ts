import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { durableObjectStore } from '../../../src/adapters/cloudflare/index.js'
import { type Runner, startRunner } from './runner.js'

let runner: Runner

beforeAll(async () => {
  runner = await startRunner()
})

afterAll(() => runner.stop())

describe('In a Durable Object', () => {
  test('positions are exact up to the largest', async () => {
    const last = `${2n ** 53n - 2n ** 32n}n`
    expect(await runner.run('the largest positions')).toEqual({
      last,
      above: 1,
      farAbove: 0,
      beyond: true,
      checkpoint: last,
      sequence: last,
      history: [last],
    })
  })

  test('data that are too long for a row are kept in parts, and restored', async () => {
    expect(await runner.run('data over 2 MB')).toEqual({
      emptyRows: [false, true, false],
      parts: 4,
      fit: true,
      restored: 4,
    })
  })

  test('data that have lost a part are damaged, and nothing else is', async () => {
    const types = ['object', 'undefined']
    expect(await runner.run('parts that are lost')).toEqual({ ofOne: types, ofAll: types })
    expect(await runner.run('a damaged row')).toBe('CorruptEvent')
  })

  test('nothing is recorded when the storage fails on the way', async () => {
    const fault = ['SQLite: Error: no such table: event_parts: SQLITE_ERROR', 'not_recorded']
    expect(await runner.run('parts that cannot be written')).toEqual({
      faults: [fault, fault],
      events: 1,
    })
    expect(await runner.run('a broken storage')).toEqual([
      'SQLite: Error: SQLITE_IOERR',
      'not_recorded',
    ])
  })

  test('the largest grant is read', async () => {
    const equal = {
      get: 'equal',
      history: 'equal',
      access: 'equal',
      heldRoles: 'equal',
      holders: 'equal',
    }
    expect(await runner.run('the largest grant, of emoji')).toEqual(equal)
    // As JSON in JSON, these take seven bytes each.
    expect(await runner.run('the largest grant, of control characters')).toEqual({
      ...equal,
      access: 'SQLite: Error: string or blob too big: SQLITE_TOOBIG',
    })
  })

  test('a batch of any size is applied as a whole', async () => {
    expect(await runner.run('the largest batch')).toEqual({
      added: true,
      changed: true,
      again: false,
      totalSize: 2000,
      isAtEnd: true,
    })
  })

  test('lists by every condition in every order are within its limits', async () => {
    const lists = await runner.run('the largest lists')
    const most = Object.values(lists as Record<string, readonly { parameters: number }[]>)
      .flat()
      .map(({ parameters }) => parameters)
    expect(Math.max(...most)).toBeLessThanOrEqual(100)
    const found = expect.objectContaining({ found: 1 })
    expect(lists).toMatchObject({ identity_provider: [found, found], user_grant: [found, found] })
  })

  test('tables of the host stay beside ours, unless they have their names', async () => {
    expect(await runner.run('tables of others')).toEqual({
      foreign: ['foreign', 'The object has a table events that is not of claviger'],
      untouched: ['events'],
      beside: ['claviger_schema', 'event_parts', 'events', 'own'],
      newer: ['newer', 'The storage has version 2; this version of claviger knows 1'],
    })
  })
})

describe('durableObjectStore', () => {
  const storage = {
    sql: { exec: () => ({ raw: () => [], rowsWritten: 0 }) },
    transactionSync: () => {
      throw new Error('It was used')
    },
  }

  test('refuses a value that is not a storage with SQLite, and unknown options', () => {
    for (const wrong of [undefined, {}, { ...storage, sql: undefined }])
      expect(() => durableObjectStore(wrong as never)).toThrow(TypeError)
    expect(() => durableObjectStore(storage, { noww: () => new Date() } as never)).toThrow(
      'durableObjectStore has no option noww; it has now',
    )
    expect(() => durableObjectStore(storage, { now: 5 as never })).toThrow('now must be a function')
    expect(() => durableObjectStore(storage)).toThrow('It was used')
  })
})
