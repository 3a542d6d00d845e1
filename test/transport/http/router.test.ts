import { describe, expect, it } from 'vitest'
import { createRouter } from '../../../src/transport/router.js'

const router = createRouter([
  ['POST', '/v1/things', 'add'],
  ['POST', '/v1/things/new', 'literal'],
  ['POST', '/v1/things/{id}:stop', 'stop'],
  ['POST', '/v1/things/{id}/parts:batch', 'batch'],
  ['GET', '/v1/things/{id}', 'get'],
  ['GET', '/v1/things/{id}/parts/{part_id}', 'part'],
  ['GET', '/v1/things/new/parts', 'parts'],
])

describe('A router', () => {
  it.each([
    ['POST', '/v1/things', 'add', []],
    ['POST', '/v1/things/new', 'literal', []],
    ['POST', '/v1/things/a:stop', 'stop', ['a']],
    ['POST', '/v1/things/a:stop:stop', 'stop', ['a:stop']],
    ['POST', '/v1/things/a/parts:batch', 'batch', ['a']],
    ['GET', '/v1/things/a:stop', 'get', ['a:stop']],
    ['GET', '/v1/things/%2F', 'get', ['%2F']],
    ['GET', '/v1/things/constructor/parts/__proto__', 'part', ['constructor', '__proto__']],
    ['GET', '/v1/things/new/parts', 'parts', []],
    ['GET', '/v1/things/new/parts/b', 'part', ['new', 'b']],
  ])('leads %s %s to %s', (verb, path, target, params) => {
    expect(router.find(verb, path)).toEqual({ target, params })
  })

  it.each([
    ['GET', '/v1/things'],
    ['GET', '/v1/things/'],
    ['GET', '/v1/things//parts/b'],
    ['GET', '/v1/things/a/'],
    ['GET', '//v1/things/a'],
    ['GET', 'v1/things/a'],
    ['GET', '/v1/things;x=1/a'],
    ['POST', '/v1/things/:stop'],
    ['POST', '/v1/things/a:stop/'],
    ['POST', '/v1/things/a%3Astop'],
    ['PATCH', '/v1/things/a'],
    ['constructor', '/v1/things'],
    ['GET', ''],
  ])('leads %s %s nowhere', (verb, path) => {
    expect(router.find(verb, path)).toBeUndefined()
  })

  it('lists the methods of a path', () => {
    expect(router.verbsOf('/v1/things/new')).toEqual(['POST', 'GET'])
    expect(router.verbsOf('/v1/things/a:stop')).toEqual(['POST', 'GET'])
    expect(router.verbsOf('/v1/other')).toEqual([])
  })
})
