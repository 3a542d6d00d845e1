import fc from 'fast-check'
import { expect, it } from 'vitest'
import { orThrow } from '../../src/index.js'
import { addProjects, nameOf, newIam, running, SECRET } from './receivers.js'

/** No signature has a hyphen, so none contains a name by chance. */
const ORGANIZATIONS = ['acme-inc', 'other-inc', 'third-inc'] as const
const CANARY = 'canary-c7f1'

/** A change of an organization, which names it wherever it can. */
const change = fc.record({
  orgId: fc.constantFrom(...ORGANIZATIONS),
  what: fc.constantFrom('project', 'provider', 'secret'),
})

it('No message has a secret, or a change of another organization than the endpoint is for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const iam = newIam()
      const endpoints = ORGANIZATIONS.map((orgId) => ({
        id: orgId,
        url: `https://${orgId}.test/`,
        secrets: [SECRET],
        after: 0n,
        orgId,
      }))
      const expected = { 'acme-inc': 0, 'other-inc': 0, 'third-inc': 0 }
      for (const [n, { orgId, what }] of changes.entries()) {
        const context = { caller: { userId: `user of ${orgId}`, orgId } }
        expected[orgId]++
        if (what === 'project') await orThrow(iam.projects.add({ name: `of ${orgId}` }, context))
        else {
          const fields = { clientId: `of ${orgId}`, issuer: 'https://idp.test' }
          const idpId = `idp-${n}`
          const clientSecret = `${CANARY}-${n}`
          const added = { idpId, name: `of ${orgId}`, ...fields, clientSecret }
          await orThrow(iam.identityProviders.addOidc(added, context))
          if (what === 'provider') continue
          expected[orgId]++
          const update = { idpId, ...fields, clientSecret: `${CANARY}-new`, scopes: [] }
          const mappings = {
            displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
            usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
          } as const
          await orThrow(iam.identityProviders.updateOidcConfig({ ...update, ...mappings }, context))
        }
      }
      const { received, stop, until } = await running(() => 200, {
        iam,
        endpoints: () => endpoints,
      })
      const total = Object.values(expected).reduce((sum, count) => sum + count)
      await until(() => received.length === total)
      await stop()
      for (const { url, headers, body, event } of received) {
        const orgId = new URL(url).hostname.replace('.test', '')
        expect(event.orgid).toBe(orgId)
        const all = JSON.stringify(headers) + body
        expect(all).not.toContain(CANARY)
        expect(all).not.toContain('aes1.')
        for (const other of ORGANIZATIONS) if (other !== orgId) expect(all).not.toContain(other)
      }
      for (const orgId of ORGANIZATIONS)
        expect(received.filter(({ event }) => event.orgid === orgId)).toHaveLength(expected[orgId])
    }),
    { numRuns: 25 },
  )
})

it('An endpoint that is given to another organization gets nothing more of the first', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/a', 'acme/b')
  let orgId = 'acme'
  const first = Promise.withResolvers<never>()
  const listed = () => [
    { id: 'one', url: `https://${orgId}.test/`, secrets: [SECRET], after: 0n, orgId },
  ]
  const { received, clock, setup, until } = await running(
    // When the first message is sent again, the second was read with it.
    ({ event }, count) => (event.orgid === 'other' ? 200 : count === 1 ? 500 : first.promise),
    { iam, endpoints: listed },
  )
  await until(() => received.length === 2)
  orgId = 'other'
  const begin = clock.elapsed()
  await until(() => clock.elapsed() > begin + 10_000)
  await addProjects(iam, 'acme/c', 'other/d')
  first.resolve(200 as never)
  const isDone = async () => (await setup.options.cursors.read('one')).state?.includes('"held":[]')
  await until(async () => received.length > 2 && (await isDone()) === true)
  expect(received.map((each) => [each.url, nameOf(each)])).toEqual([
    ['https://acme.test/', 'acme/a'],
    ['https://acme.test/', 'acme/a'],
    ['https://other.test/', 'other/d'],
  ])
})
