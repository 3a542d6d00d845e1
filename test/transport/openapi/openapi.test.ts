import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { httpStatusOf, type IamError, toStatus } from 'claviger'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.js'
import { plainRequestOf, requestOf } from '../clients/rest.js'
import { openIam, transportOptions } from '../host.js'

const ORIGIN = 'https://iam.example.com'

interface Operation {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { content: { 'application/json': { schema: object; example: object } } }
  readonly responses: Readonly<Record<string, Answer>>
}

/** A parameter, or a reference to one. */
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: object
}

interface Answer {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: { 'application/json': { schema: object; example?: unknown } }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly schemas: Readonly<Record<string, object>>
  }
}

const serve = async (organizationHeader?: string) => {
  const { options } = transportOptions()
  const handler = fetchHandler(await openIam(), { ...options, organizationHeader })
  const response = await handler(new Request(`${ORIGIN}/openapi.json`))
  return { response, document: (await response.json()) as Document }
}

/** The parameters of an operation: many are references to components. */
const parametersOf = ({ parameters }: Operation, { components }: Document = document) =>
  parameters.map((each) => components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each)

const { document, response: served } = await serve()
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
)

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('int32', true)
ajv.addSchema(document, 'openapi.json')

/** Why a value is not as a schema of the document has it. */
const objectionsTo = (value: unknown, schema: object): unknown => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/')
  const validate = ajv.compile(JSON.parse(text))
  return validate(value) ? null : validate.errors
}

/** The operation that a request reaches. */
const operationAt = (verb: string, url: string) => {
  const { pathname } = new URL(url)
  const found = operations.filter((known) => {
    const pattern = known.path.replaceAll(/\{\w+\}/g, '[^/]+')
    return known.verb === verb.toLowerCase() && new RegExp(`^${pattern}$`).test(pathname)
  })
  // `{id}` matches what `{id}:verb` does.
  return found.sort((one, other) => other.path.length - one.path.length)[0]?.operation
}

const responseAt = (operation: Operation, status: number): Answer | undefined => {
  const answer = operation.responses[status] ?? operation.responses['default']
  return answer?.$ref ? document.components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer
}

describe('The OpenAPI document', () => {
  it('is served as JSON, to anybody', () => {
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document) as never)
    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('has every operation once, at the path of its annotation', () => {
    expect(operations.map(({ operation }) => operation.operationId).sort()).toHaveLength(98)
    expect(
      operations.map(({ verb, path, operation }) => `${operation.operationId} ${verb} ${path}`),
    ).toEqual(
      expect.arrayContaining([
        'AddOidcIdentityProvider post /v1/idps/oidc',
        'UpdateOidcConfig put /v1/idps/{idpId}/oidc_config',
        'UpdateProject put /v1/projects/{id}',
        'AddProjectRole post /v1/projects/{projectId}/roles',
      ]),
    )
  })

  it('has every status that the specification gives for each operation', () => {
    const operation = (id: string) =>
      operations.find((found) => found.operation.operationId === id)?.operation
    for (const id of ['AddOidcIdentityProvider', 'UpdateOidcConfig']) {
      const { responses = {}, deprecated } = operation(id) ?? {}
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '403', '404', '409', 'default']),
      )
      expect(Object.keys(responses['200']?.headers ?? {})).toContain('Deprecation')
      expect(deprecated).toBe(true)
    }
    for (const { operation: every } of operations) {
      expect(Object.keys(every.responses)).toEqual(
        expect.arrayContaining(['200', '500', 'default']),
      )
      expect('415' in every.responses).toBe(every.requestBody !== undefined)
    }
  })

  it('has the organization header where the specification has it, under the name of the host', async () => {
    const renamed = (await serve('x-organization')).document
    for (const [path, verbs] of Object.entries(renamed.paths)) {
      for (const operation of Object.values(verbs)) {
        const names = parametersOf(operation, renamed).map(({ name }) => name)
        expect(names.includes('x-organization')).toBe(!path.startsWith('/v1/idps'))
        expect(names).not.toContain('x-service-orgid')
      }
    }
  })

  it('addresses a role with its key as a query parameter', () => {
    const role = document.paths['/v1/projects/{projectId}/role'] ?? {}
    expect(Object.keys(role).sort()).toEqual(['delete', 'get', 'patch', 'put'])
    for (const operation of Object.values(role))
      expect(parametersOf(operation)).toContainEqual(
        expect.objectContaining({ name: 'roleKey', in: 'query', required: true }),
      )
  })

  it('addresses a grant to a user with its ids as query parameters', () => {
    const grant = document.paths['/v1/userGrant'] ?? {}
    expect(Object.keys(grant).sort()).toEqual(['delete', 'get', 'put'])
    const { post } = document.paths['/v1/userGrant:addRoles'] ?? {}
    for (const operation of [...Object.values(grant), post])
      expect(
        operation && parametersOf(operation).filter((parameter) => parameter.in === 'query'),
      ).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'userId', required: true }),
          expect.objectContaining({ name: 'projectId', required: true }),
          expect.objectContaining({ name: 'projectOrgId', required: false }),
        ]),
      )
  })

  it('has If-Match for each command of an object that is there', () => {
    const withIfMatch = operations
      .filter(({ operation }) => parametersOf(operation).some(({ name }) => name === 'If-Match'))
      .map(({ operation }) => operation.operationId)
    expect(withIfMatch).toEqual(expect.arrayContaining(['AddUserGrantRoles', 'UpdateProjectGrant']))
    for (const name of ['AddUserGrant', 'AddProject', 'AddProjectRoles', 'RemoveAllUserGrants'])
      expect(withIfMatch).not.toContain(name)
  })

  it('has examples that are as its schemas say', () => {
    for (const { operation } of operations) {
      const contents = [operation.requestBody, ...Object.values(operation.responses)]
        .map((part) => part && 'content' in part && part.content?.['application/json'])
        .filter((part) => part && part.example !== undefined)
      for (const content of contents)
        if (content) expect(objectionsTo(content.example, content.schema)).toBeNull()
    }
  })

  it('has examples of errors that equal the errors of the library', () => {
    const errors: readonly IamError[] = [
      {
        kind: 'InvalidArgument',
        violations: [{ field: 'name', description: 'must not be empty' }],
      },
      { kind: 'Unauthenticated' },
      { kind: 'PermissionDenied', permission: 'project.write', orgId: 'acme' },
      { kind: 'NotFound', object: { type: 'project', id: 'portal' } },
      { kind: 'SequenceMismatch', expected: 1769851800250000n, actual: 1769851900000000n },
      { kind: 'Unavailable', outcome: 'not_recorded', retryAfter: 1_000, cause: undefined },
    ]
    for (const error of errors) {
      const described = document.components.responses[httpStatusOf(error)]
      expect(described?.content?.['application/json'].example).toEqual(toStatus(error))
    }
  })

  it('has details of errors with more than their type', () => {
    const { Status } = document.components.schemas
    expect(Status).toHaveProperty('properties.details.items.additionalProperties', true)
  })

  it('names fields as JSON does', () => {
    const names = JSON.stringify(document).matchAll(/`[a-z]+_\w+`/g)
    expect([...names].map(([name]) => name)).toEqual([])
  })

  it('tells the limits of the specification', () => {
    const add = document.paths['/v1/idps/oidc']?.['post']
    const { schema, example } = add?.requestBody?.content['application/json'] ?? {}
    const refuse = (change: object) =>
      expect(objectionsTo({ ...example, ...change }, schema ?? {})).not.toBeNull()
    refuse({ name: '' })
    refuse({ name: 'x'.repeat(201) })
    refuse({ clientSecret: '' })
    refuse({ issuer: undefined })
    refuse({ stylingType: 'STYLING_TYPE_OTHER' })
    refuse({ colour: 'red' })
    expect(
      objectionsTo({ ...example, name: '🔑'.repeat(200), issuer: '' }, schema ?? {}),
    ).toBeNull()
  })
})

describe('What is served is as the document says', () => {
  it.for(cases.map((found) => [found.name, found] as const))('%s', async ([, found]) => {
    const opened = await openIam(found.store)
    const iam = found.throws ? found.throws.iam(opened) : opened
    const handler = fetchHandler(iam, transportOptions().options)
    for (const call of found.calls) {
      const plain = plainRequestOf(call)
      const request = requestOf(ORIGIN, plain, call)
      const operation = operationAt(request.method, request.url)
      expect(operation).toBeDefined()
      if (!operation) continue

      const response = await handler(request)
      const described = responseAt(operation, response.status)
      const schema = described?.content?.['application/json'].schema ?? { not: {} }
      const body = await response.json()
      expect(objectionsTo(body, schema)).toBeNull()
      if (response.ok)
        expect(['ETag', 'Deprecation'].filter((name) => response.headers.has(name))).toEqual(
          // What a dry run would add has no version yet.
          Object.keys(described?.headers ?? {}).filter(
            (name) => name !== 'ETag' || !('planned' in body) || 'details' in body,
          ),
        )

      const queried = [...new URL(request.url).searchParams.keys()]
      const known = parametersOf(operation).filter((parameter) => parameter.in === 'query')
      const names = known.flatMap(({ name }) => [
        name,
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ])
      expect(queried.filter((name) => !names.includes(name))).toEqual([])
      if (response.ok && operation.requestBody)
        expect(
          objectionsTo(plain.body, operation.requestBody.content['application/json'].schema),
        ).toBeNull()
    }
  })
})
