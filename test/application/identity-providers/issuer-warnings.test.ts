import { expect, it } from 'vitest'
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
