import SCIMMY from 'scimmy'
import { describe, expect, it } from 'vitest'
import { matches, parseFilter } from '../../src/scim/filter.js'
import { patched } from '../../src/scim/patch.js'
import { CORE, clientOf, openHost, patchOf, userTable } from './host.js'
import { randomOf } from './random.js'
import { entra, filled, okta } from './requests.js'

const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

/** Reads the body of a response as a client does. Throws for a body that does not match its schema. */
const read = (body: { readonly schemas: readonly string[]; readonly Resources?: unknown[] }) => {
  const [schema] = body.schemas
  // Casts: the library checks the body itself.
  const given = body as never
  if (schema === `${CORE}:User`) return new SCIMMY.Schemas.User(given, 'out')
  if (schema === `${CORE}:Group`) return new SCIMMY.Schemas.Group(given, 'out')
  // The library throws the error that it reads.
  if (schema === `${MESSAGES}:Error`) {
    const { status, scimType, detail } = body as Readonly<Record<string, unknown>>
    const error = { status, message: detail, ...(scimType !== undefined && { scimType }) }
    expect(() => new SCIMMY.Messages.ErrorResponse(given)).toThrow(expect.objectContaining(error))
    return undefined
  }
  // The library does not read how a server describes itself.
  if (/:(Schema|ResourceType|ServiceProviderConfig)$/.test(String(schema))) return undefined
  if (schema !== `${MESSAGES}:ListResponse`) return expect.fail(`Unknown: ${schema}`)
  for (const each of body.Resources ?? []) read(each as never)
  return new SCIMMY.Messages.ListResponse(given)
}

describe('another library', () => {
  it.each([
    ['Entra ID', entra],
    ['Okta', okta],
  ])('reads every answer to the requests of %s', async (_, exchanges) => {
    const { iam, place } = await openHost()
    const { send } = clientOf(iam, place, { users: userTable().users })
    const ids = new Map<string, string>()
    let answers = 0
    for (const { as, ...exchange } of exchanges) {
      const { body } = await send({ ...filled(exchange, ids), path: filled(exchange.path, ids) })
      if (as) ids.set(as, body.id)
      // The library refuses a part of a resource.
      if (!body || /[?&]attributes=/.test(exchange.path)) continue
      answers++
      const seen = JSON.parse(JSON.stringify(read(body) ?? {}))
      if (body.id) expect([exchange.name, seen.id]).toEqual([exchange.name, body.id])
    }
    expect(answers).toBeGreaterThan(10)
  })

  it('finds the same by 5,000 filters', () => {
    const next = randomOf(3)
    const text = () => String("abc( '"[next(6)]).repeat(1 + next(2))
    const item = () => ({ type: next(2) ? 'work' : 'home', value: text(), primary: next(2) === 0 })
    const literal = (value: unknown) => JSON.stringify(value)
    const conditions = [
      () => `userName eq ${literal(text())}`,
      () => `name.familyName eq ${literal(text())}`,
      () => `active eq ${literal(next(2) === 0)}`,
      () => `emails[type eq "work"]`,
      () => `emails[type eq "home" and value eq ${literal(text())}]`,
      () => `emails.value eq ${literal(text())}`,
    ]
    let found = 0
    for (let run = 0; run < 5_000; run++) {
      const resource = {
        userName: text(),
        active: next(2) === 0,
        name: { familyName: text() },
        emails: [item(), item()],
      }
      // The library applies several conditions on a list to one item, so there is one at most.
      const chosen = [conditions[next(6)]?.(), ...(next(2) ? [conditions[next(3)]?.()] : [])]
      const filter = chosen.join(' and ')
      const theirs = new SCIMMY.Types.Filter(filter).match([resource]).length === 1
      expect([filter, resource, matches(parseFilter(filter), resource)]).toEqual([
        filter,
        resource,
        theirs,
      ])
      if (theirs) found++
    }
    expect(found).toBeGreaterThan(500)
  })

  it('ends with the same users after 500 requests with PATCH', async () => {
    const next = randomOf(5)
    const text = () => String('abcd'[next(4)])
    const operations = [
      () => ({ op: 'replace', path: 'displayName', value: text() }),
      () => ({ op: 'add', path: 'nickName', value: text() }),
      () => ({ op: 'remove', path: 'nickName' }),
      () => ({ op: 'replace', path: 'name.familyName', value: text() }),
      () => ({ op: 'add', path: 'emails', value: [{ type: 'home', value: text() }] }),
      () => ({ op: 'replace', path: 'emails[type eq "work"].value', value: text() }),
      () => ({ op: 'remove', path: 'emails[type eq "home"]' }),
      () => ({ op: 'add', value: { nickName: text(), title: text() } }),
      () => ({ op: 'replace', value: { name: { givenName: text() }, title: text() } }),
    ]
    const start = {
      schemas: [`${CORE}:User`],
      id: 'u',
      userName: 'ada',
      displayName: 'x',
      name: { familyName: 'f' },
      emails: [
        { type: 'work', value: 'w' },
        { type: 'home', value: 'h' },
      ],
    }
    /** Lists are sets, and an empty one is none. */
    const compared = (resource: object) => {
      const { emails, meta: _, ...others } = JSON.parse(JSON.stringify(resource))
      const texts = (emails ?? []).map((each: object) =>
        JSON.stringify(Object.entries(each).sort()),
      )
      return { ...others, emails: [...new Set(texts)].sort() }
    }
    for (let run = 0; run < 500; run++) {
      const chosen = Array.from({ length: 1 + next(3) }, () => operations[next(9)]?.())
      const body = patchOf(...(chosen as object[]))
      const user = new SCIMMY.Schemas.User(start as never)
      const theirs = await new SCIMMY.Messages.PatchOp(body as never).apply(user, async (u) => u)
      const label = JSON.stringify(chosen)
      expect([label, compared(patched(start, body))]).toEqual([label, compared(theirs ?? user)])
    }
  })
})
