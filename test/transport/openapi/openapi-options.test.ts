import { Validator } from '@seriousme/openapi-schema-validator'
import { fetchHandler, type OpenApiOptions } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'

const documentOf = async (openApi: OpenApiOptions | undefined, organizationHeader?: string) => {
  const { options } = transportOptions()
  const handler = fetchHandler(await openIam(), { ...options, openApi, organizationHeader })
  return (await handler(new Request('https://iam.example.com/openapi.json'))).json()
}

const scopes = { read: 'Reads' }
const tokenUrl = 'https://id.example.com/token'
const authorizationUrl = '/authorize?a=%20'

const everything: OpenApiOptions = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT', description: 'A token' },
    basic: { type: 'http', scheme: 'basic' },
    session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    certificate: { type: 'mutualTLS' },
    oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example.com/.well-known/x' },
    oauth: {
      type: 'oauth2',
      flows: {
        implicit: { authorizationUrl, scopes },
        password: { tokenUrl, scopes },
        clientCredentials: { tokenUrl, refreshUrl: tokenUrl, scopes },
        authorizationCode: { tokenUrl, authorizationUrl, scopes },
      },
    },
  },
  security: [{ bearer: [], certificate: [] }, { oauth: ['read'] }],
  servers: [
    { url: 'https://iam.example.com', description: 'Live' },
    {
      url: 'https://{region}.example.com',
      variables: { region: { default: 'eu', enum: ['eu', 'us'], description: 'Where' } },
    },
  ],
}

describe('The OpenAPI document', () => {
  it('says nothing of authentication by itself', async () => {
    for (const document of [await documentOf(undefined), await documentOf({})]) {
      expect(document.servers).toEqual([{ url: '.' }])
      expect('security' in document).toBe(false)
      expect('securitySchemes' in document.components).toBe(false)
    }
  })

  it('has what the host says of authentication and servers, and is valid', async () => {
    const document = await documentOf(everything)
    const { servers, security, components } = document
    expect({ servers, security, securitySchemes: components.securitySchemes }).toEqual(everything)
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  it('asks for any one of the schemes where the host does not say which', async () => {
    const { securitySchemes } = everything
    const { security } = await documentOf({ securitySchemes })
    expect(security).toEqual(Object.keys(securitySchemes ?? {}).map((name) => ({ [name]: [] })))
  })

  it('leaves the header of a scheme as it is when another header selects the organization', async () => {
    const org = { type: 'apiKey', in: 'header', name: 'x-service-orgid' } as const
    const document = await documentOf({ securitySchemes: { org } }, 'x-tenant')
    expect(document.components.securitySchemes).toEqual({ org })
    const { parameters } = document.paths['/v1/projects'].get
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/XServiceOrgid' })
    const { XServiceOrgid: organization } = document.components.parameters
    expect(organization).toMatchObject({ in: 'header', name: 'x-tenant' })
  })
})

const schemes = (scheme: object) => ({ securitySchemes: { mine: scheme } })

describe('openApi is refused where the document would not be valid', () => {
  it.each<[field: string, given: unknown]>([
    ['openApi', 'bearer'],
    ['openApi: Unrecognized key: "server"', { server: [] }],
    ['openApi.securitySchemes', { securitySchemes: [] }],
    ['openApi.securitySchemes.my key', { securitySchemes: { 'my key': { type: 'mutualTLS' } } }],
    ['openApi.securitySchemes.mine.type', schemes({ type: 'bearer' })],
    ['openApi.securitySchemes.mine.scheme', schemes({ type: 'http' })],
    [
      'openApi.securitySchemes.mine.bearerFormat: Only for the scheme bearer',
      schemes({ type: 'http', scheme: 'basic', bearerFormat: 'JWT' }),
    ],
    ['openApi.securitySchemes.mine.in', schemes({ type: 'apiKey', name: 'sid', in: 'body' })],
    ['openApi.securitySchemes.mine.flows', schemes({ type: 'oauth2' })],
    [
      'openApi.securitySchemes.mine.flows.password.tokenUrl',
      schemes({ type: 'oauth2', flows: { password: { scopes } } }),
    ],
    [
      'openApi.securitySchemes.mine.flows.implicit: Unrecognized key: "tokenUrl"',
      schemes({ type: 'oauth2', flows: { implicit: { authorizationUrl, tokenUrl, scopes } } }),
    ],
    [
      'openApi.securitySchemes.mine.openIdConnectUrl',
      schemes({ type: 'openIdConnect', openIdConnectUrl: 'no address' }),
    ],
    ['openApi.security', { security: { bearer: [] } }],
    ['openApi.security[0].bearer', { security: [{ bearer: 'read' }] }],
    [
      'openApi.security[1].oauth must be one of openApi.securitySchemes',
      { ...schemes({ type: 'mutualTLS' }), security: [{ mine: [] }, { oauth: [] }] },
    ],
    ['openApi.servers', { servers: [] }],
    ['openApi.servers[0]', { servers: ['https://iam.example.com'] }],
    ['openApi.servers[0].url', { servers: [{ url: '' }] }],
    [
      'openApi.servers[0].variables.region.default',
      { servers: [{ url: '{region}', variables: { region: {} } }] },
    ],
  ])('%s', async (message, given) => {
    const iam = await openIam()
    const openApi = given as OpenApiOptions
    const make = () => fetchHandler(iam, { ...transportOptions().options, openApi })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})
