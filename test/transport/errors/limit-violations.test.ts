import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { violationsIn } from '../http-client.js'

/** Longest answer, in UTF-16 units: a part of what names every fault of such a body. */
const MOST_TEXT = 32_768

/** Close to 1 MiB of one list. */
const listOf = (item: string, rest = '') =>
  `{${rest}"scopes":[${`${item},`.repeat(1_048_000 / (item.length + 1))}${item}]}`

/** What is told of a request by someone who has no permission. */
const openGuest = async () => {
  const handler = fetchHandler(await openIam(), transportOptions().options)
  return async (path: string, type: string, body: BodyInit) => {
    const headers = { authorization: 'Bearer guest', 'content-type': type }
    return handler(new Request(`http://localhost${path}`, { method: 'POST', headers, body }))
  }
}

it.for([
  ['numbers', listOf('0'), 'scopes[0]'],
  ['nulls', listOf('null'), 'scopes[0]'],
  ['lists', listOf('[]'), 'scopes[0]'],
  ['texts, and one wrong field', listOf('""', '"name":1,'), 'name'],
  ['unknown fields', `{${Array.from({ length: 90_000 }, (_, i) => `"${i}":1`).join(',')}}`, '0'],
] as const)('A body full of %s is refused by its first faults alone', async ([, body, field]) => {
  const call = await openGuest()
  const answer = await call('/v1/idps/oidc', 'application/json', body)
  expect(answer.status).toBe(400)
  const text = await answer.text()
  expect(text.length).toBeLessThan(MOST_TEXT)
  expect(Object.keys(violationsIn(JSON.parse(text)))[0]).toBe(field)
})

it('A body full of unknown fields of protobuf is refused by its first faults alone', async () => {
  const call = await openGuest()
  // A frame of fields 256 to 2,047 with the number 1, again and again.
  const length = 1_048_575
  const body = new Uint8Array(5 + length)
  new DataView(body.buffer).setUint32(1, length)
  for (let at = 5, number = 256; at < body.length; at += 3, number = 256 + ((number + 1) % 1_792))
    body.set([0x80 | ((number << 3) & 0x7f), number >> 4, 1], at)
  const path = '/claviger.v1.ProjectService/AddProject'
  const answer = await call(path, 'application/grpc-web+proto', body)
  const text = await answer.text()
  expect(text).toContain('grpc-status: 3')
  expect(text.length).toBeLessThan(8 * 1024)
})

it.for([
  ['of 100 characters', 'é'.repeat(100), 'é'.repeat(100)],
  ['of 100 characters outside the BMP', '😀'.repeat(100), '😀'.repeat(100)],
  ['of 101 characters', 'é'.repeat(101), `${'é'.repeat(100)}…`],
  ['of 101 characters outside the BMP', '😀'.repeat(101), `${'😀'.repeat(100)}…`],
  ['that is cut within a character', `a${'😀'.repeat(20_000)}`, `a${'😀'.repeat(99)}…`],
  ['of 20,000 characters outside the BMP', '😀'.repeat(20_000), `${'😀'.repeat(100)}…`],
  ['with a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ['of lone surrogates alone', '\udfff'.repeat(20_000), `${'\ufffd'.repeat(100)}…`],
] as const)('An unknown name %s is shortened in the answer', async ([, name, told]) => {
  const call = await openGuest()
  const answer = await call('/v1/projects', 'application/json', JSON.stringify({ [name]: 1 }))
  expect(answer.status).toBe(400)
  expect(violationsIn(await answer.json())).toEqual({ [told]: 'is not a field of the request' })
})
