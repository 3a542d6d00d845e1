export interface Sending {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Where the example says that it is. What leads there goes to the instance that the test chooses. */
export const ORIGIN = 'http://invoicing.test'

/** A browser of one user: keeps cookies, and all that it was shown. */
export const newBrowser = (shown: string[]) => {
  const cookies = new Map<string, string>()
  const send = async (method: string, url: string, { body, headers }: Sending = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      method,
      headers: {
        ...(cookie && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
      redirect: 'manual',
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const text = await answer.text()
    shown.push(text, ...answer.headers.values())
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    const { status, headers: received } = answer
    return { status, headers: received, body: isJson ? JSON.parse(text) : text }
  }
  /** Begins at one instance, and comes back to another. */
  const signIn = async (
    path: string,
    email: string,
    [first, second]: readonly [string, string],
  ) => {
    const begun = await send('GET', `${first}${path}`)
    if (begun.status !== 302) return begun
    const vouched = await fetch(begun.headers.get('location') ?? '', {
      headers: { 'x-user': email },
      redirect: 'manual',
    })
    const back = vouched.headers.get('location') ?? ''
    return send('GET', back.replace(ORIGIN, second))
  }
  return { cookies, send, signIn }
}

export type Browser = ReturnType<typeof newBrowser>
