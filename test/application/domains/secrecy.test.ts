import { expect, test } from 'vitest'
import { toJson } from '../../../src/index.js'
import { context, iamOn, inGlobex, oidc, start } from '../host.js'
import { fakeDns } from './dns.js'

const domain = 'example.com'

/** What the other organization has done before. */
const OTHERS = {
  nothing: 0,
  'added the domain': 1,
  'verified the domain': 2,
  'verified the domain and removed it': 3,
} as const

/** All that `acme` is answered, without places in the log, and what of the store is asked for. */
const answersAfter = async (steps: number): Promise<unknown> => {
  const dns = fakeDns()
  const { store } = start()
  const asked: string[] = []
  const watched: typeof store = {
    ...store,
    readStream: (stream, after) => {
      asked.push(stream)
      return store.readStream(stream, after)
    },
    append: (append) => {
      asked.push(...append.writes.map(({ stream }) => `append ${stream}`))
      return store.append(append)
    },
  }
  const globex = iamOn(store, { domains: dns.domains }).domains
  if (steps > 0)
    await globex.add({ domain }, inGlobex).map(({ challenge }) => dns.publish(domain, challenge))
  if (steps > 1) await globex.verify({ domain }, inGlobex)
  if (steps > 2) await globex.remove({ domain }, inGlobex)

  let drawn = 0
  const { domains, identityProviders, history } = iamOn(watched, {
    domains: dns.domains,
    newId: () => `01ARZ3NDEKTSV4RRFFQ69G5F${String(10 + drawn++)}`,
  })
  const answers = [
    await identityProviders.addOidc(oidc, context),
    await domains.verify({ domain }, context),
    await domains.add({ domain }, { ...context, dryRun: true }),
    await domains.add({ domain: 'a.example' }, context),
    await domains.add({ domain }, context),
    await domains.verify({ domain }, context),
    await domains.setProvider({ domain, idpId: 'google' }, context),
    await domains.list({ pageSize: 1 }, context),
    await domains.get({ domain: 'a.example' }, context),
    await domains.verify({ domain: 'a.example' }, context),
    await history.list({}, context),
    await domains.route({ email: 'anna@example.com' }),
    await domains.route({ email: 'anna@a.example' }),
  ]
  const text = JSON.stringify(
    answers.map((answer) => (answer.isOk() ? toJson(answer.value ?? null) : answer.error)),
  )
  return [text.replaceAll(/"[^"]*(?:\d{16}|T\d\d:\d\d:\d\d)[^"]*"/g, '"at"'), asked]
}

test.each(Object.entries(OTHERS).slice(1))(
  'An organization is answered the same, by the same reads, whether another has %s or not.',
  async (_, steps) => {
    expect(await answersAfter(steps)).toEqual(await answersAfter(OTHERS.nothing))
  },
)
