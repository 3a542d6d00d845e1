import { create, type DescMethod, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { IdentityProviderService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { inProcess } from '../clients/in-process.js'
import { callers, IDP_ID, openIam, transportOptions } from '../host.js'
import { violationsIn } from '../http-client.js'
import { oidc, provider } from '../samples.js'

const open = async () => {
  const iam = await openIam()
  const { options } = transportOptions()
  const handler = fetchHandler(iam, options)
  const call = (method: DescMethod, type: string, body: BodyInit, orgId: string) =>
    handler(
      new Request(`http://localhost/${method.parent.typeName}/${method.name}`, {
        method: 'POST',
        headers: { authorization: 'Bearer admin', 'content-type': type, 'x-service-orgid': orgId },
        body,
      }),
    )
  return { iam, options, call, handler }
}

const DESCRIPTION = "must be the caller's own organization, or absent, on identity providers"

const HEADERS = [
  ['globex', DESCRIPTION],
  ['initech', DESCRIPTION],
  ['no+org', DESCRIPTION],
  ['acme, acme', 'must be a single organization'],
] as const

/** One function reads the header for all methods: a write and a read stand for the others. */
const isInFull = ({ name }: DescMethod) => /^(AddOIDC|List)/i.test(name)

describe.each(IdentityProviderService.methods.map((method) => [method.name, method] as const))(
  'The organization header of %s',
  (_, method) => {
    it.each(isInFull(method) ? HEADERS : HEADERS.slice(0, 1))(
      'that names %j is refused in JSON and gRPC-web',
      async (orgId, description) => {
        const { call } = await open()
        const json = await call(method, 'application/json', '{}', orgId)
        expect(json.status).toBe(400)
        expect(violationsIn(await json.json())).toEqual({ orgId: description })
        const message = toBinary(method.input, create(method.input))
        const frame = new Uint8Array([0, 0, 0, 0, message.length, ...message])
        const web = await call(method, 'application/grpc-web+proto', frame, orgId)
        expect(await web.text()).toContain('grpc-status: 3')
      },
    )
  },
)

describe('Of identity providers', () => {
  it.each(['acme', ''])('the organization header may be %j', async (orgId) => {
    const { call } = await open()
    const { addOidcIdentityProvider, updateOidcConfig } = IdentityProviderService.method
    const add = JSON.stringify(provider)
    expect((await call(addOidcIdentityProvider, 'application/json', add, orgId)).status).toBe(200)
    const update = JSON.stringify({ idpId: IDP_ID, ...oidc })
    expect((await call(updateOidcConfig, 'application/json', update, orgId)).status).toBe(200)
  })

  it('nothing is changed where the header names another organization', async () => {
    const { iam, handler } = await open()
    const answer = await handler(
      new Request(`http://localhost/v1/idps/${IDP_ID}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer admin', 'x-service-orgid': 'globex' },
      }),
    )
    expect(answer.status).toBe(400)
    const found = await iam.identityProviders.get({ idpId: IDP_ID }, { caller: callers['admin'] })
    expect(found.isOk()).toBe(true)
  })

  it('a client of gRPC-web is refused too', async () => {
    const { handler } = await open()
    const client = createClient(IdentityProviderService, inProcess(handler))
    const headers = { authorization: 'Bearer admin', 'x-service-orgid': 'globex' }
    const thrown = await client.listIdentityProviders({}, { headers }).catch(ConnectError.from)
    expect(thrown).toMatchObject({ code: Code.InvalidArgument })
  })
})
