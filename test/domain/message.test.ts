import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { command, currentVersion, event, type Upcasters, upcast } from '../../src/domain/message.js'
import { objections } from './objections.js'

describe('command', () => {
  const Rename = command('Rename', { name: z.string(), note: z._default(z.string(), '') })

  it('reads type and data, with defaults', () => {
    expect(Rename.parse({ type: 'Rename', data: { name: 'a' } })).toEqual({
      type: 'Rename',
      data: { name: 'a', note: '' },
    })
  })

  it('refuses another type and unknown fields', () => {
    const data = { name: 'a' }
    expect(objections(Rename, { type: 'Renamed', data })).toHaveLength(1)
    expect(objections(Rename, { type: 'Rename', data, at: 1 })).toHaveLength(1)
    expect(objections(Rename, { type: 'Rename', data: { ...data, at: 1 } })).toHaveLength(1)
  })
})

describe('event', () => {
  const Renamed = event('renamed', { name: z.string() })

  it('freezes its result, and not its input', () => {
    const given = { type: 'renamed', data: { name: 'a' } }
    const read = Renamed.parse(given)
    expect(read).toEqual(given)
    expect([Object.isFrozen(read), Object.isFrozen(read.data)]).toEqual([true, true])
    expect([Object.isFrozen(given), Object.isFrozen(given.data)]).toEqual([false, false])
  })

  it('refuses another type and unknown fields', () => {
    const data = { name: 'a' }
    expect(objections(Renamed, { type: 'rename', data })).toHaveLength(1)
    expect(objections(Renamed, { type: 'renamed', data, at: 1 })).toHaveLength(1)
    expect(objections(Renamed, { type: 'renamed', data: { ...data, at: 1 } })).toHaveLength(1)
  })
})

describe('upcasters', () => {
  // Version 1 had one text, version 2 split it, version 3 added a flag.
  const upcasters: Upcasters = {
    named: [
      (data) => {
        const [first, last] = String(Reflect.get(data, 'name')).split(' ')
        return { first, last }
      },
      (data) => ({ ...data, verified: false }),
    ],
  }

  it('count the versions of a type, the first of which is 1', () => {
    expect(currentVersion(upcasters, 'named')).toBe(3)
    expect(currentVersion(upcasters, 'other')).toBe(1)
    expect(currentVersion({}, 'named')).toBe(1)
  })

  it.each([
    { schemaVersion: 1, data: { name: 'Jane Doe' } },
    { schemaVersion: 2, data: { first: 'Jane', last: 'Doe' } },
    { schemaVersion: 3, data: { first: 'Jane', last: 'Doe', verified: false } },
  ])('lead from version $schemaVersion to the newest', ({ schemaVersion, data }) => {
    expect(upcast(upcasters, { type: 'named', schemaVersion, data })).toEqual({
      first: 'Jane',
      last: 'Doe',
      verified: false,
    })
  })

  it('leave data of the newest version as it is', () => {
    const data = { first: 'Jane', last: 'Doe', verified: true }
    expect(upcast(upcasters, { type: 'named', schemaVersion: 3, data })).toBe(data)
    expect(upcast(upcasters, { type: 'other', schemaVersion: 1, data })).toBe(data)
  })

  it.each(['__proto__', 'constructor', 'toString'])('know nothing of the type %s', (type) => {
    const data = { name: 'Jane Doe' }
    expect(currentVersion(upcasters, type)).toBe(1)
    expect(upcast(upcasters, { type, schemaVersion: 1, data })).toBe(data)
  })
})
