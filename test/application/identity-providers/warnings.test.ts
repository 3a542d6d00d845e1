import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { OIDC_DEFAULTS } from '../../defaults.js'
import { context, good, iamOn, oidc } from '../host.js'

const https = { field: 'issuer', description: 'should be an https URL' }
const discovery = {
  field: 'issuer',
  description:
    'should not end with .well-known/openid-configuration: enter the issuer that this document names',
}

it.each<[issuer: string, warnings: readonly object[] | undefined]>([
  ['https://accounts.example.com', undefined],
  ['https://login.microsoftonline.com/common/v2.0', undefined],
  ['', undefined],
  ['accounts.example.com', [https]],
  ['http://localhost:8080', [https]],
  ['https://accounts.example.com/.well-known/openid-configuration', [discovery]],
  ['https://accounts.example.com/.well-known/openid-configuration/', [discovery]],
  ['https://accounts.example.com/.well-known/openid-configuration?p=b2c_1', [discovery]],
  ['http://accounts.example.com/.well-known/openid-configuration', [https, discovery]],
])('writes of the issuer %j warn of %j', async (issuer, warnings) => {
  const { identityProviders } = iamOn(memoryEventStore())
  const dry = { ...context, dryRun: true } as const
  const ids = { idpId: oidc.idpId }
  const { clientId } = oidc
  const written = [
    await good(identityProviders.addOidc({ ...oidc, issuer }, dry)),
    await good(identityProviders.addOidc({ ...oidc, issuer }, context)),
    ...(issuer === ''
      ? []
      : [
          await good(identityProviders.patch({ ...ids, issuer }, context)),
          await good(
            identityProviders.updateOidcConfig(
              { ...ids, ...OIDC_DEFAULTS, clientId, issuer },
              context,
            ),
          ),
        ]),
  ]
  for (const outcome of written) expect(outcome.warnings).toEqual(warnings)
  const renamed = await good(identityProviders.patch({ ...ids, name: 'Renamed' }, context))
  expect(renamed.warnings).toBeUndefined()
})

describe('configureSignIn', () => {
  const ids = { idpId: oidc.idpId }
  const dry = { ...context, dryRun: true } as const
  const subjectClaim = {
    field: 'subjectClaim',
    description:
      'should only change before the first sign-in: users who signed in before are unknown from now on',
  }

  it('warns of a change of what identifies users, in dry runs and repeats too', async () => {
    const { identityProviders } = iamOn(memoryEventStore())
    await good(identityProviders.addOidc(oidc, context))
    const asOid = { ...ids, subjectClaim: 'oid' }
    const keyed = { ...context, idempotencyKey: 'k' }
    const warned = [
      await good(identityProviders.configureSignIn(asOid, dry)),
      await good(identityProviders.configureSignIn(asOid, keyed)),
      await good(identityProviders.configureSignIn(asOid, keyed)),
      await good(identityProviders.configureSignIn(asOid, { ...keyed, dryRun: true })),
      await good(identityProviders.configureSignIn({ ...ids, addresses: 'verified' }, context)),
    ]
    for (const { warnings } of warned) expect(warnings).toEqual([subjectClaim])
  })

  it('does not warn while users are identified as before', async () => {
    const { identityProviders } = iamOn(memoryEventStore())
    await good(identityProviders.addOidc(oidc, context))
    const silent = [
      await good(identityProviders.configureSignIn({ ...ids, addresses: 'verified' }, context)),
      await good(identityProviders.configureSignIn({ ...ids, subjectClaim: 'sub' }, context)),
      await good(identityProviders.configureSignIn({ ...ids, subjectClaim: 'sub' }, dry)),
    ]
    for (const outcome of silent) expect(outcome).not.toHaveProperty('warnings')
  })
})

it('The wire has the warnings', async () => {
  const iam = iamOn(memoryEventStore())
  await good(iam.identityProviders.addOidc(oidc, context))
  const handler = fetchHandler(iam, { authenticate: () => context.caller })
  const url = `https://iam.test/v1/idps/${oidc.idpId}/sign_in`
  const headers = { 'content-type': 'application/json' }
  const request = new Request(url, { method: 'PUT', headers, body: '{"subjectClaim":"oid"}' })
  expect(await (await handler(request)).json()).toMatchObject({
    warnings: [{ field: 'subjectClaim' }],
  })
})
