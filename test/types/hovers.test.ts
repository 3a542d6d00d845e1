import { describe, expect, it } from 'vitest'
import { fieldsOf, methodsOfIam, namesOf, subpaths, undocumentedIn } from './program.js'

/** Words of the schema library and of brands, which say nothing to who calls a method. */
const NOISE = /Zod|z\.|\$strip|\$strict|brand|infer|input</i

const methods = methodsOfIam()

describe('What an editor shows', () => {
  it('of a method is its input, its context and its outcome, by name', () => {
    expect(methods.get('projects.add')).toEqual([
      '(input: AddProjectInput, context: DryRunContext): ResultAsync<Planned, IamError>',
      '(input: AddProjectInput, context: Context): ResultAsync<Written & ProjectIds, IamError>',
    ])
    expect(methods.get('projectRoles.list')).toEqual([
      '(input: ListProjectRolesInput, context: Context): ResultAsync<Page<ProjectRole>, IamError>',
    ])
  })

  it.each([...methods])('of %s is free of noise and short', (_, signatures) => {
    for (const signature of signatures) {
      expect(signature).not.toMatch(NOISE)
      expect(signature.length).toBeLessThan(200)
    }
  })

  const inputs = namesOf('claviger').filter(({ name }) => /(Input|Context|Options)$/.test(name))
  it.each(inputs)('of the fields of $name is free of noise', ({ name }) => {
    const fields = [...fieldsOf(name)]
    expect(fields.length).toBeGreaterThan(0)
    for (const [, type] of fields) expect(type).not.toMatch(NOISE)
  })

  it('of an id in an input is a string', () => {
    expect(fieldsOf('AddOidcInput').get('idpId')).toBe('string | undefined')
    expect(fieldsOf('AddProjectInput').get('id')).toBe('string | undefined')
    expect(fieldsOf('AddProjectRoleInput').get('projectId')).toBe('string')
    expect(fieldsOf('AddProjectRoleInput').get('roleKey')).toBe('string')
    expect(fieldsOf('Context').get('orgId')).toBe('string | undefined')
  })

  it.each(subpaths)('of every field and method of %s is what it is for', (subpath) => {
    expect(undocumentedIn(subpath)).toEqual([])
  })
})
