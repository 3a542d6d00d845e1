import fc from 'fast-check'
import { ResultAsync } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { isIamError, memoryEventStore, toJson, toStatus, verify } from '../../src/index.js'
import { fixedClock } from '../../src/testing/index.js'
import { addAllSamples, caller, iamOn, secret } from '../application/host.js'
import { type Call, type Method, methods } from '../application/method/methods.js'
import { inputsOf, junk, numRuns, spoilt } from './inputs.js'

const SECRET = secret

/** The library on a store with an object of each kind. */
const start = async () => {
  const store = memoryEventStore({ now: fixedClock('2026-02-03T04:05:06Z') })
  const iam = iamOn(store)
  await addAllSamples(iam)
  return { store, iam }
}

const ofAll: readonly Pick<Method, 'name' | 'of' | 'input'>[] = (['plan', 'apply'] as const).map(
  (name) => ({
    name: `iam.${name}`,
    // Cast: a method is to be given what its type does not expect.
    of: (iam) => iam[name] as unknown as Call,
    input: {
      projects: [{ id: 'shop', name: 'Shop', roles: [{ roleKey: 'a', displayName: 'A' }] }],
    },
  }),
)

const all = [...methods, ...ofAll]

const contexts = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ caller }) },
  { weight: 2, arbitrary: fc.constant({ caller, dryRun: true }) },
  {
    weight: 2,
    arbitrary: fc
      .record(
        { orgId: junk, expectedSequence: junk, idempotencyKey: junk, dryRun: junk, signal: junk },
        { requiredKeys: [] },
      )
      .map((fields) => ({ caller, ...fields })),
  },
  { weight: 1, arbitrary: fc.record({ caller: junk }) },
  { weight: 1, arbitrary: junk },
)

describe('With any input', () => {
  it.each(all)('$name answers with an outcome or an error', async ({ name, of, input }) => {
    const { store, iam } = await start()
    const given = fc.oneof(inputsOf(name), spoilt(input))
    let outcomes = 0
    const property = fc.asyncProperty(given, contexts, async (input, context) => {
      const answer = of(iam)(input, context)
      if (!(answer instanceof ResultAsync)) throw new TypeError('Answered otherwise')
      const result = await answer
      if (result.isOk()) {
        outcomes++
        if (!name.endsWith('.revealClientSecret'))
          expect(JSON.stringify(toJson(result.value) ?? null)).not.toContain(SECRET)
        return
      }
      expect(isIamError(result.error)).toBe(true)
      const { code } = toStatus(result.error)
      expect([1, 3, 5, 6, 7, 9, 10, 16]).toContain(code)
    })
    await fc.assert(property, { numRuns, examples: [[input, { caller }]] })
    expect(outcomes).toBeGreaterThan(0)

    const listed = await iamOn(store).history.list({ limit: 1_000 }, { caller })
    expect(listed.isOk() && listed.value.items.length > 2).toBe(true)
  })

  it('a plan that somebody changed is applied or refused, and leaves a log that can be read', async () => {
    const oidc = { clientId: 'c', issuer: 'https://j.example.com', clientSecret: SECRET }
    const desired = {
      projects: [
        { id: 'portal', name: 'New', roles: [{ roleKey: 'b', displayName: 'C' }] },
        { id: 'shop', name: 'Shop', roles: [{ roleKey: 'a', displayName: 'A' }] },
      ],
      identityProviders: [
        { idpId: 'google', ...oidc },
        { idpId: 'other', name: 'Other', ...oidc },
      ],
    }
    const planned = await (await start()).iam.plan(desired, { caller })
    const kinds = new Set<string>()
    const plan: unknown = JSON.parse(JSON.stringify(planned._unsafeUnwrap()))
    const plans = spoilt(plan)
    const property = fc.asyncProperty(plans, async (plan) => {
      const { store, iam } = await start()
      const applied = await iam.apply(plan as never, { caller })
      kinds.add(applied.isOk() ? 'applied' : applied.error.kind)
      if (applied.isErr()) expect([3, 5, 6, 9]).toContain(toStatus(applied.error).code)
      else expect(JSON.stringify(toJson(applied.value))).not.toContain(SECRET)
      expect((await verify(store)).isOk()).toBe(true)
    })
    await fc.assert(property, { numRuns, examples: [[plan], [{}]] })
    expect([...kinds]).toEqual(expect.arrayContaining(['applied', 'InvalidArgument']))
  })

  it('an error never repeats a secret', async () => {
    const { iam } = await start()
    const inputs = inputsOf('identityProviders.addOidc')
    const property = fc.asyncProperty(inputs, async (input) => {
      const withSecret = { ...Object(input), clientSecret: SECRET }
      const { addOidc, updateOidcConfig } = iam.identityProviders
      const added = await addOidc(withSecret, { caller })
      for (const result of [added, await updateOidcConfig(withSecret, { caller })]) {
        const shown = result.isOk() ? toJson(result.value) : toStatus(result.error)
        expect(JSON.stringify(shown)).not.toContain(SECRET)
      }
    })
    await fc.assert(property, { numRuns })
  })
})
