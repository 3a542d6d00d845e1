import type { JsonObject } from '../handlers/body.js'
import { notFound } from './refusal.js'
import { type Answer, listed, MAX_RESULTS, type ScimRequest } from './resources.js'

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0'

/** `GET /ServiceProviderConfig`. */
export const serviceProviderConfig = (basePath: string): Answer => {
  const no = { supported: false }
  return {
    status: 200,
    body: {
      schemas: [`${SCHEMA}:ServiceProviderConfig`],
      patch: { supported: true },
      bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: MAX_RESULTS },
      changePassword: no,
      sort: no,
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'A token of one identity provider',
          primary: true,
        },
      ],
      meta: metaOf('ServiceProviderConfig', `${basePath}/ServiceProviderConfig`),
    },
  }
}

const metaOf = (resourceType: string, location: string) => ({ resourceType, location })

/** Attributes with how they differ from an optional text that a client may write. */
type Attributes = Readonly<Record<string, JsonObject & { readonly subAttributes?: Attributes }>>

const READ_ONLY = { mutability: 'readOnly' }
const ITEM = {
  value: {},
  type: { canonicalValues: ['work', 'home', 'other'] },
  primary: { type: 'boolean' },
}

const USER: Attributes = {
  userName: { required: true, uniqueness: 'server' },
  externalId: { caseExact: true },
  active: { type: 'boolean' },
  displayName: {},
  name: { type: 'complex', subAttributes: { formatted: {}, familyName: {}, givenName: {} } },
  emails: { type: 'complex', multiValued: true, subAttributes: ITEM },
}

const GROUP: Attributes = {
  displayName: { required: true, caseExact: true, uniqueness: 'server' },
  externalId: { caseExact: true },
  members: {
    type: 'complex',
    multiValued: true,
    subAttributes: {
      value: { caseExact: true, mutability: 'immutable' },
      type: { ...READ_ONLY, canonicalValues: ['User'] },
    },
  },
}

const attributesOf = (attributes: Attributes): readonly JsonObject[] =>
  Object.entries(attributes).map(([name, { subAttributes, ...differs }]) => ({
    name,
    type: 'string',
    multiValued: false,
    description: name,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...differs,
    ...(subAttributes && { subAttributes: attributesOf(subAttributes) }),
  }))

const TYPES = { User: USER, Group: GROUP }

/** The fields in which descriptions differ, by the name of the type. */
const DESCRIBED = {
  Schemas: (name: keyof typeof TYPES) => ({
    schemas: [`${SCHEMA}:Schema`],
    id: `${SCHEMA}:${name}`,
    attributes: attributesOf(TYPES[name]),
  }),
  ResourceTypes: (name: keyof typeof TYPES) => ({
    schemas: [`${SCHEMA}:ResourceType`],
    id: name,
    endpoint: `/${name}s`,
    schema: `${SCHEMA}:${name}`,
  }),
}

/** `GET /Schemas` and `GET /ResourceTypes`, or one of them. @throws Refusal for an unknown id */
export const described = async (
  kind: keyof typeof DESCRIBED,
  basePath: string,
  request: ScimRequest,
): Promise<Answer> => {
  const all = (['User', 'Group'] as const).map((name) => {
    const own = DESCRIBED[kind](name)
    const meta = metaOf(kind.slice(0, -1), `${basePath}/${kind}/${own.id}`)
    return { name, description: name, ...own, meta }
  })
  if (request.id === undefined)
    return listed(
      request,
      all.map((each) => async () => each),
    )
  const body = all.find(({ id }) => id === request.id)
  if (!body) throw notFound()
  return { status: 200, body }
}
