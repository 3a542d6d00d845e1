import { aesGcmCipher, createIam, memoryEventStore, PERMISSIONS } from 'claviger'
import { german } from 'claviger/console'
import { describe, expect, it } from 'vitest'
import { ENGLISH } from '../../src/console/browser/english.js'

/** All texts, by their paths. A plural is one text, since a language has its own forms. */
const textsOf = (texts: object, path = ''): readonly (readonly [path: string, text: string])[] =>
  Object.entries(texts).flatMap(([name, text]): readonly (readonly [string, string])[] => {
    const at = `${path}/${name}`
    if (typeof text === 'string') return [[at, text]]
    return 'other' in text && 'one' in text ? [[at, text.other]] : textsOf(text, at)
  })

const english = new Map(textsOf(ENGLISH))
// The server says these in English.
const { violations, ...others } = german
const translated = textsOf({ ...others, violations: {} })
const valuesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

describe('The console in German', () => {
  it('has each text, and no other', () =>
    expect(translated.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted()))

  it('has the values of each text', () => {
    for (const [path, text] of translated)
      expect([path, valuesIn(text)]).toEqual([path, valuesIn(english.get(path) ?? '')])
  })

  it('has as many steps for each provider', () => {
    for (const [kind, steps] of Object.entries(german.setUpSteps))
      expect(steps.split('\n').length).toBe(ENGLISH.setUpSteps[kind]?.split('\n').length)
  })

  it('says something in each', () => {
    const same = translated.filter(([path, text]) => text === english.get(path))
    // Names, signs, and words that both languages have.
    expect(same.length).toBeLessThan(40)
    expect(translated.every(([, text]) => text.trim() !== '')).toBe(true)
  })

  it('says what is wrong with each field of the forms', async () => {
    const found = await violationsOfForms()
    expect(found.size).toBeGreaterThan(15)
    expect([...found].filter((sentence) => !Object.hasOwn(violations, sentence))).toEqual([])
    for (const [sentence, text] of Object.entries(violations))
      expect([text, text.match(/#/g)?.length]).toEqual([text, sentence.match(/#/g)?.length])
  })
})

/** What the server says of fields that people fill in wrongly, with `#` for each number. */
const violationsOfForms = async (): Promise<ReadonlySet<string>> => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
    domains: { isPublicSuffix: (domain) => domain === 'example', resolveTxt: async () => [] },
  })
  const context = { caller: { userId: 'alice', orgId: 'acme', permissions: [...PERMISSIONS] } }
  const project = { projectId: 'shop' }
  await iam.projects.add({ id: 'shop', name: 'Shop' }, context)
  await iam.projectRoles.add({ ...project, roleKey: 'payer', displayName: 'Payer' }, context)
  const provider = { idpId: 'okta', name: 'Okta', issuer: 'https://okta.example' }
  const long = 'x'.repeat(3_000)
  const wrong = ['', long, 'a b', '\u0000', '\ud800', 'example']
  const lists = [...wrong.map((each) => [each]), ['a', 'a'], Array.from({ length: 500 }, String)]
  const calls = [
    ...wrong.flatMap((text) => [
      iam.projects.add({ id: text, name: text }, context),
      iam.projectRoles.add({ ...project, roleKey: text, displayName: text, group: text }, context),
      iam.projectGrants.add({ ...project, grantedOrgId: text, roleKeys: [text] }, context),
      iam.userGrants.add({ ...project, userId: text, roles: [], resource: text }, context),
      iam.domains.add({ domain: text }, context),
      iam.roleMappings.add({ ...project, idpId: text, group: text, roleKeys: [] }, context),
      iam.identityProviders.addOidc(
        {
          ...provider,
          idpId: text,
          name: text,
          issuer: text,
          clientId: text,
          clientSecret: text,
          scopes: [text],
        },
        context,
      ),
      iam.identityProviders.configureSignIn(
        {
          idpId: 'okta',
          subjectClaim: text,
          groups: { claim: text, item: 'a', separator: 'b' },
          admit: [{ claim: text, values: [text] }],
        },
        context,
      ),
      iam.setupLinks.issue({ expiresAt: new Date(0), intents: [], note: text }, context),
      iam.projects.add({ id: 'other', name: 'Other' }, { ...context, reason: text }),
    ]),
    ...lists.flatMap((list) => [
      iam.projectRoles.add(
        { ...project, roleKey: 'r', displayName: 'R', permissions: list },
        context,
      ),
      iam.projectGrants.add({ ...project, grantedOrgId: 'globex', roleKeys: list }, context),
      iam.projectGrants.add({ ...project, grantedOrgId: 'acme', roleKeys: ['payer'] }, context),
      iam.userGrants.add(
        { ...project, userId: 'u', roles: list.map((roleKey) => ({ roleKey })) },
        context,
      ),
      iam.roleMappings.add({ ...project, idpId: 'okta', group: 'g', roleKeys: list }, context),
      iam.identityProviders.addOidc(
        { ...provider, clientId: 'c', clientSecret: 's', scopes: list },
        context,
      ),
    ]),
    ...[0, 1.5, 99_999].map((validFor) =>
      iam.roleMappings.add(
        { ...project, idpId: 'okta', group: 'g', roleKeys: ['payer'], validFor },
        context,
      ),
    ),
    iam.userGrants.add(
      { ...project, userId: 'u', roles: [{ roleKey: 'payer', expiresAt: new Date(0) }] },
      context,
    ),
  ]
  const outcomes = await Promise.all(calls)
  const said = outcomes.flatMap((outcome) =>
    outcome.isErr() && outcome.error.kind === 'InvalidArgument' ? outcome.error.violations : [],
  )
  return new Set(said.map(({ description }) => description.replace(/\d+/g, '#')))
}
