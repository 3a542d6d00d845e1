import { describe, expect, it } from 'vitest'
import * as domain from '../../src/domain/index.js'
import * as claviger from '../../src/index.js'

/** What a consumer of Standard Schema (https://standardschema.dev), version 1, needs of a schema. */
interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
  }
}

const isStandardSchema = (value: unknown): value is StandardSchema =>
  typeof value === 'object' && value !== null && '~standard' in value

const schemas = Object.entries({ ...claviger, ...domain }).filter(([, value]) =>
  isStandardSchema(value),
)

/** As a consumer that knows nothing of the schema library would. */
const validate = (schema: StandardSchema, value: unknown): unknown =>
  schema['~standard'].validate(value)

describe('The schemas of commands and events are Standard Schemas', () => {
  it.each(schemas)('of version 1: %s', (_, schema) => {
    if (!isStandardSchema(schema)) throw new Error('Filtered otherwise')
    expect(schema['~standard']).toMatchObject({ version: 1 })
    expect(validate(schema, { type: 'None' })).toMatchObject({ issues: expect.anything() })
  })

  it('of every command and event there is', () => {
    const names = schemas.map(([name]) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        ...['AddOidcIdentityProvider', 'UpdateOidcConfig', 'UpdateProject', 'AddProjectRole'],
        ...['AddProjectGrant', 'AddUserGrant', 'AddUserGrantRoles', 'RemoveUserGrantRoles'],
        ...['IdentityProviderCommand', 'ProjectCommand', 'ProjectRoleCommand'],
        ...['ProjectGrantCommand', 'UserGrantCommand'],
        ...['IdentityProviderEvent', 'ProjectEvent', 'ProjectRoleEvent'],
        ...['ProjectGrantEvent', 'UserGrantEvent'],
      ]),
    )
  })

  it('which give the value with its defaults, or what is wrong with which field', () => {
    const data = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
    const command = { type: 'AddProjectRole', data }
    expect(validate(claviger.AddProjectRole, command)).toEqual({
      value: { ...command, data: { ...data, group: '' } },
    })
    const nameless = { ...command, data: { ...data, displayName: '' } }
    expect(validate(claviger.AddProjectRole, nameless)).toMatchObject({
      issues: [{ message: 'must not be empty', path: ['data', 'displayName'] }],
    })
  })
})
