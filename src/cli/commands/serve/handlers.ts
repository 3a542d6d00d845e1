import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Caller, Iam } from 'claviger'

/** Who has the token, and as whom. */
export interface Access {
  readonly token: string
  readonly caller: Caller
}

/** The JSON interface; below `/console` the console, and `/sign-in` for it. */
export const openHandlers = async (iam: Iam, access: Access): Promise<RequestListener> => {
  const { nodeHandler } = await import('claviger/json')
  const { consoleHandler } = await import('claviger/console')
  const { token, caller } = access
  const api = nodeHandler(iam, {
    authenticate: (headers) =>
      headers.get('authorization') === `Bearer ${token}` ? caller : undefined,
  })
  const pages = consoleHandler(iam, {
    basePath: '/console',
    authenticate: (headers) =>
      headers.get('cookie')?.split('; ').includes(`demo=${token}`) ? caller : undefined,
  })
  return (request, response) => {
    const { url = '' } = request
    if (url === '/sign-in') void signIn(request, response)
    else if (/^\/console(\/|\?|$)/.test(url)) pages(request, response)
    else api(request, response)
  }
}

const SIGN_IN = `<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Token <input type="password" name="token" required></label> <button>Sign in</button></form>`

/** Puts the token in a cookie, which the console looks at. */
const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST')
    return void response.setHeader('content-type', 'text/html').end(SIGN_IN)
  const form = await text(request).catch(() => '')
  const given = (new URLSearchParams(form).get('token') ?? '').replaceAll(/[^\w-]/g, '')
  const cookie = `demo=${given}; HttpOnly; SameSite=Strict; Path=/console`
  response.writeHead(303, { 'set-cookie': cookie, location: '/console/' }).end()
}
