import { expect, it } from 'vitest'
import { authZenHandler } from '../../src/authzen/index.js'
import { caller, context, good, start } from '../application/host.js'

const question = {
  subject: { type: 'user', id: 'bob' },
  action: { name: 'read' },
  resource: { type: 'project', id: 'portal' },
}

it.each<object>([{ toString: 1 }, { toString: null, valueOf: null }])(
  'A time that is an object is malformed, and no unexpected error: %j',
  async (at) => {
    const { iam } = start()
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    const handler = authZenHandler(iam, {
      authenticate: () => caller,
      identifier: 'https://pdp.example.com',
      onError: () => undefined,
    })
    const ask = (path: string, body: object) =>
      handler(
        new Request(`https://pdp.example.com/access/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
    const malformed = { ...question, context: { at } }
    expect((await ask('evaluation', malformed)).status).toBe(400)
    expect((await ask('evaluations', { evaluations: [question, malformed] })).status).toBe(200)
  },
)
