import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import {
  openIdSignIn,
  type SignInHandler,
  type SignInHandlerOptions,
  type SignInRefusal,
  signInHandler,
} from 'claviger/oidc'
import express from 'express'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hostileProvider } from './hostile-provider.js'

const { issuer, state, close } = await hostileProvider()
afterAll(close)

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const caller = { userId: 'sign-in', orgId: 'acme' }
const idp = { idpId: 'own', name: 'Own', clientId: 'c1', issuer, clientSecret: 's' }
await iam.identityProviders.addOidc(idp, { caller })
await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller })
const signIn = openIdSignIn({
  iam,
  caller,
  key: new Uint8Array(32),
  callbackBase: 'https://app.test/sign-in/callback',
  allowHttpLoopback: true,
  userIdOf: ({ subject }) => `user ${subject}`,
})
const refusals: unknown[] = []
beforeEach(() => {
  refusals.length = 0
})

const handlerWith = (options: Partial<SignInHandlerOptions> = {}) =>
  signInHandler(signIn, {
    path: '/sign-in',
    onSignedIn: ({ userId }) => ({ 'set-cookie': `session=${userId}` }),
    ...options,
  })

const fromOwnPage = { 'sec-fetch-site': 'same-origin' }
const own = { orgId: 'acme', idpId: 'own' }
const post = (
  form: Readonly<Record<string, string>> = own,
  headers: Readonly<Record<string, string>> = fromOwnPage,
) =>
  new Request('https://app.test/sign-in', {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  })
const cookieOf = (answer: Response) => answer.headers.getSetCookie().at(-1) ?? ''

/** Begins, and answers the request with which the browser comes back. */
const begun = async (handler: SignInHandler, form: Readonly<Record<string, string>> = own) => {
  const answer = await handler(post(form))
  expect(answer.status).toBe(303)
  const asked = new URL(answer.headers.get('location') ?? '').searchParams
  state.nonce = asked.get('nonce') ?? ''
  const [cookie = ''] = cookieOf(answer).split(';')
  const back = new URLSearchParams({ code: 'c', iss: issuer })
  back.set('state', asked.get('state') ?? '')
  return (path = '/sign-in/callback/acme/own', headers = { cookie: `a=b; ${cookie}` }) =>
    new Request(`https://app.test${path}?${back}`, { headers })
}

describe('signInHandler', () => {
  it('begins by a form of an own page, and keeps the attempt in a cookie of this host alone', async () => {
    const answer = await handlerWith()(post())
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(new RegExp(`^${issuer}/authorize`))
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(cookieOf(answer)).toMatch(
      /^__Host-sign-in=[\w-]{40,}; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  it('finishes at the callback of the provider, and goes on to returnTo', async () => {
    const handler = handlerWith()
    const back = await begun(handler, { ...own, returnTo: '/invoices?open=1' })
    const answer = await handler(back())
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/invoices?open=1'])
    expect(answer.headers.getSetCookie()).toEqual([
      'session=user ann',
      '__Host-sign-in=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
    ])
  })

  it('lets the host respond, with the roles of the user', async () => {
    const handler = handlerWith({
      projectId: 'portal',
      onSignedIn: ({ access }) => Response.redirect(`https://app.test/?${access?.allowed}`, 302),
    })
    const answer = await handler((await begun(handler))())
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://app.test/?true'])
    expect(cookieOf(answer)).toContain('Max-Age=0')
  })

  it.each<Readonly<Record<string, string>>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://app.test' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.test' },
    { origin: 'http://app.test' },
    { origin: 'https://app.test.evil.test' },
    { origin: 'null' },
    {},
  ])('signs nobody in by a page of another site (login CSRF): %j', async (headers) => {
    const answer = await handlerWith()(post(own, headers))
    expect([answer.status, await answer.text()]).toEqual([403, 'Not signed in: ForeignPage'])
    expect(answer.headers.get('location')).toBeNull()
    expect(cookieOf(answer)).toContain('Max-Age=0')
  })

  it.each([
    ['https://app.test', 'app.test'],
    ['http://localhost:3000', 'localhost:3000'],
    ['http://127.0.0.1:3000', '127.0.0.1:3000'],
  ])('takes an older browser by its origin: %s', async (origin, host) => {
    expect((await handlerWith()(post(own, { origin, host }))).status).toBe(303)
  })

  it('does not begin by a link', async () => {
    for (const path of ['/sign-in', '/sign-in/acme/own', '/sign-in?orgId=acme&idpId=own']) {
      const request = new Request(`https://app.test${path}`, { headers: fromOwnPage })
      const { headers } = await handlerWith()(request)
      expect(headers.get('location')).toBeNull()
      expect(headers.getSetCookie().join()).not.toMatch(/=[\w-]{40}/)
    }
  })

  it.each(['https://evil.test/', '//evil.test', '/\\evil.test', '/.//evil.test'])(
    'goes on to no other site: %s',
    async (returnTo) => {
      const onRefused = (refusal: unknown) => new Response(`${refusals.push(refusal)}`)
      await handlerWith({ onRefused })(post({ ...own, returnTo }))
      const violations = [expect.objectContaining({ field: 'returnTo' })]
      expect(refusals).toEqual([{ kind: 'InvalidArgument', violations }])
    },
  )

  it.each<readonly [string, object | undefined, string]>([
    ['/sign-in/callback/acme/other', undefined, 'AttemptMismatch'],
    ['/sign-in/callback/evil/own', undefined, 'AttemptMismatch'],
    ['/sign-in/callback/acme/own', { cookie: '' }, 'AttemptTampered'],
    ['/sign-in/callback/acme/own', { cookie: '__Host-sign-in=x' }, 'AttemptTampered'],
    ['/sign-in/callback/acme/own', { cookie: 'a__Host-sign-in=x' }, 'AttemptTampered'],
  ])('refuses an answer elsewhere or of another browser: %s %j', async (path, headers, kind) => {
    const onRefused = (refusal: { readonly kind: string }) =>
      new Response(refusal.kind, { status: 401 })
    const handler = handlerWith({ onRefused })
    const back = await begun(handler)
    const answer = await handler(back(path, headers as { cookie: string }))
    expect([answer.status, await answer.text()]).toEqual([401, kind])
    expect(answer.headers.getSetCookie()).toHaveLength(1)
  })

  it('turns what onSignedIn throws into a refusal with a cause', async () => {
    const onRefused = (refusal: unknown) => new Response(`${refusals.push(refusal)}`)
    const onSignedIn = () => {
      throw new Error('no session')
    }
    const handler = handlerWith({ onRefused, onSignedIn })
    await handler((await begun(handler))())
    expect(refusals).toMatchObject([{ kind: 'Unavailable', cause: { message: 'no session' } }])
  })

  it.each([
    ['GET', '/sign-in'],
    ['POST', '/sign-in/'],
    ['POST', '/sign-in/callback/acme/own'],
    ['GET', '/sign-in-2/callback'],
    ['GET', '/'],
    ['HEAD', '/sign-in/callback/acme/own'],
  ])('leaves other requests alone: %s %s', async (method, path) => {
    expect((await handlerWith()(new Request(`https://app.test${path}`, { method }))).status).toBe(
      404,
    )
  })

  it.each<readonly [string, BodyInit]>([
    ['application/json', JSON.stringify(own)],
    ['application/x-www-form-urlencoded', `orgId=acme&idpId=own&x=${'x'.repeat(20_000)}`],
    ['application/x-www-form-urlencoded', 'email='],
    ['application/x-www-form-urlencoded', 'email=a%40b.test&orgId=acme'],
  ])('takes no other form: %s', async (type, body) => {
    const headers = { ...fromOwnPage, 'content-type': type }
    const request = new Request('https://app.test/sign-in', { method: 'POST', body, headers })
    const answer = await handlerWith()(request)
    expect([answer.status, await answer.text()]).toEqual([403, 'Not signed in: InvalidArgument'])
  })

  it.each([
    { path: 'sign-in' },
    { path: '/' },
    { path: '/sign-in/' },
    { onSignedIn: undefined },
    { onSignedUp: () => undefined },
  ])('knows its options: %o', (wrong) => {
    expect(() => handlerWith(wrong as never)).toThrow(TypeError)
    expect(() => signInHandler({} as never, { path: '/x', onSignedIn: () => undefined })).toThrow(
      'signIn',
    )
  })
})

describe('signInHandler on Node.js', () => {
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { ...init, redirect: 'manual' })
  }
  /** A sign-in over HTTP; answers the last response. */
  const through = async (send: Awaited<ReturnType<typeof serve>>) => {
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ ...own, returnTo: '/home' })
    const first = await send('/sign-in', { method: 'POST', body, headers })
    expect([first.status, first.status === 303 ? '' : await first.text()]).toEqual([303, ''])
    const asked = new URL(first.headers.get('location') ?? '').searchParams
    state.nonce = asked.get('nonce') ?? ''
    const [cookie = ''] = cookieOf(first).split(';')
    const back = new URLSearchParams({ code: 'c', iss: issuer, state: asked.get('state') ?? '' })
    return send(`/sign-in/callback/acme/own?${back}`, { headers: { cookie } })
  }
  const isSignedIn = (answer: Response) => {
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/home'])
    expect(answer.headers.getSetCookie()).toEqual([
      'session=user ann',
      expect.stringMatching(/^__Host-sign-in=; .*Max-Age=0/),
    ])
  }

  it('is a listener', async () => {
    const handler = handlerWith()
    isSignedIn(await through(await serve((request, response) => void handler(request, response))))
  })

  it.each([false, true])(
    'is a middleware of Express, below a prefix, body parsed: %s',
    async (isParsed) => {
      const app = express()
      if (isParsed) app.use(express.urlencoded())
      const handler = handlerWith()
      app.use('/sign-in', (request, response, next) => void handler(request, response, next))
      app.get('/sign-in', (_, response) => void response.send('the form'))
      const send = await serve(app)
      isSignedIn(await through(send))
      expect(await (await send('/sign-in')).text()).toBe('the form')
    },
  )

  it('leaves the body of a request that is not its own', async () => {
    const handler = handlerWith()
    const send = await serve((request, response) => {
      void handler(request, response, async () => {
        let body = ''
        for await (const piece of request) body += piece
        response.end(body)
      })
    })
    const sent = { method: 'POST', body: 'for another handler' }
    for (const path of ['/invoices', '/sign-in/more'])
      expect(await (await send(path, sent)).text()).toBe('for another handler')
  })

  it('answers what is not its own, and what fails', async () => {
    const onRefused = (_: SignInRefusal | object) => {
      throw new Error('no page')
    }
    const handler = handlerWith({ onRefused: onRefused as never })
    const send = await serve((request, response) => void handler(request, response))
    expect((await send('/sign-in')).status).toBe(404)
    expect((await send('/sign-in', { method: 'POST' })).status).toBe(500)
    const errors: unknown[] = []
    const passing = await serve((request, response) => {
      void handler(request, response, (error) => {
        errors.push(error)
        response.end()
      })
    })
    await passing('/sign-in', { method: 'POST' })
    await passing('/elsewhere')
    expect(errors).toEqual([new Error('no page'), undefined])
  })

  it('does not read a body without end', async () => {
    const handler = handlerWith()
    const send = await serve((request, response) => void handler(request, response))
    const headers = { ...fromOwnPage, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = send('/sign-in', { method: 'POST', body: 'a='.padEnd(5_000_000, 'x'), headers })
    const status = await sent.then(
      (answer) => answer.status,
      () => 'closed',
    )
    expect([403, 'closed']).toContain(status)
  })
})
