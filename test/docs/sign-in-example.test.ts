import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { expect, it, onTestFinished } from 'vitest'
import { openHost } from '../../docs/examples/sign-in/host.js'

const open = async () => {
  const { app } = await openHost({
    iam: createIam({
      store: memoryEventStore(),
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    }),
    orgId: 'acme',
    projectId: 'portal',
    origin: 'https://app.example',
    key: new Uint8Array(32),
    sessionSecret: 'thirty-two characters of nobody else',
  })
  onTestFinished(() => app.close())
  return (url: string, type: string, payload: string, site = 'same-origin') => {
    const headers = { 'content-type': type, 'sec-fetch-site': site }
    return app.inject({ method: 'POST', url, headers, payload })
  }
}

it.each([
  ['application/json', '{"email":"ann@acme.example"}'],
  ['text/plain', 'email=ann@acme.example'],
  ['multipart/form-data; boundary=b', '--b--'],
  ['application/octet-stream', 'email'],
])('A post of %s is refused by its type, on each path', async (type, body) => {
  const post = await open()
  const statuses = ['/sign-in', '/sign-out'].map(
    async (url) => (await post(url, type, body)).statusCode,
  )
  expect(await Promise.all(statuses)).toEqual([415, 415])
})

it('A form of the own pages is read, and none of another site', async () => {
  const post = await open()
  const form = 'application/x-www-form-urlencoded'
  const answered = await post('/sign-in', form, 'email=ann%40unknown.example')
  expect((await post('/sign-in', form, 'email=ann', 'cross-site')).statusCode).toBe(403)
  expect(answered.statusCode).toBe(200)
  expect(answered.body).toContain('No provider is known for this address.')
  expect((await post('/sign-out', form, '')).statusCode).toBe(303)
})
