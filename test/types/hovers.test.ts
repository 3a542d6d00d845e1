import { describe, expect, it } from 'vitest'
import {
  fieldsOf,
  methodsOfIam,
  namesOf,
  subpaths,
  undocumentedIn,
  undocumentedOfSource,
} from './program.js'

/** Words of the schema library and of brands, which say nothing to who calls a method. */
const NOISE = /Zod|z\.|\$strip|\$strict|brand|infer|input</i

/**
 * What is used of requests and responses of Node.js, of pools and of drivers is described there, and the texts of the
 * console say themselves what they are for.
 */
const OF_OTHERS =
  /^(Node(Request|Response)|PostgresPool(Client)?|PgLite(Queries|Types)?|PostgresJs(Queries|Rows)?|Messages|Texts|Plural|Partial)\./

const methods = methodsOfIam()

describe('What an editor shows', () => {
  it('of a method is its input, its context and its outcome, by name', () => {
    expect(methods.get('projects.add')).toEqual([
      '<DryRun extends boolean = false>(input: AddProjectInput, context: WriteContext<DryRun>): ' +
        'ResultAsync<[DryRun] extends [true] ? Planned : Written & ProjectIds, IamError>',
    ])
    expect(methods.get('projectRoles.list')).toEqual([
      '(input: ListProjectRolesInput, context: Context): ResultAsync<Page<ProjectRole>, ReadError>',
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
    for (const [, type] of fieldsOf(name)) expect(type).not.toMatch(NOISE)
  })

  it('of an id in an input is a string', () => {
    expect(fieldsOf('AddOidcInput').get('idpId')).toBe('string | undefined')
    expect(fieldsOf('AddProjectInput').get('id')).toBe('string | undefined')
    expect(fieldsOf('AddProjectRoleInput').get('projectId')).toBe('string')
    expect(fieldsOf('AddProjectRoleInput').get('roleKey')).toBe('string')
    expect(fieldsOf('Context').get('orgId')).toBe('string | undefined')
  })

  it.each(subpaths)('of every field and method of %s is what it is for', (subpath) => {
    expect(undocumentedIn(subpath).filter((member) => !OF_OTHERS.test(member))).toEqual([])
  })
})

/** A docstring belongs to what stands on a line below it. */
const onLines = (source: string): string => source.replaceAll('/**', '\n/**')

describe('A docstring that is missing', () => {
  it.each([
    ['of a field', 'export interface Planted { readonly unsaid: string }', 'Planted.unsaid'],
    ['of a method', 'export interface Planted { unsaid(): void }', 'Planted.unsaid'],
    ['of a class', 'export class Planted { readonly unsaid: number = 1 }', 'Planted.unsaid'],
    [
      'where it is lost, of what is inferred from a schema',
      `import * as z from 'zod/mini'
       const Planted = z.strictObject({ /** Lost. */ unsaid: z.string() })
       export interface Planted extends z.input<typeof Planted> {}`,
      'Planted.unsaid',
    ],
    [
      'in a list of a field',
      'export interface Planted { /** Said. */ readonly said: readonly { readonly unsaid: string }[] }',
      'Planted.said.unsaid',
    ],
    [
      'in one of several',
      'export type Planted = { /** Said. */ readonly said: string } | { readonly unsaid: string }',
      'Planted.unsaid',
    ],
    [
      'in a parameter',
      'export const planted = (options: { readonly unsaid: string }): string => options.unsaid',
      'planted(options).unsaid',
    ],
    ['in an answer', 'export const planted = async () => ({ unsaid: 1 })', 'planted().unsaid'],
  ])('is found %s', (_, source, member) => {
    expect(undocumentedOfSource(onLines(source))).toEqual([member])
  })

  it.each([
    ['there is one', 'export interface Planted { /** Said. */ readonly said: string }'],
    [
      'it is inherited',
      `interface Base { /** Said. */ readonly said: unknown }
       export interface Planted extends Base { readonly said: string }`,
    ],
    [
      'it is that of a field of another type',
      `interface Base { /** Said. */ readonly said: string; readonly unsaid: string }
       export type Planted = Readonly<Pick<Base, 'said'>>`,
    ],
    ['there is but one text', "export interface Planted { readonly kind: 'Planted' }"],
    ['others declare it', 'export type Planted = Promise<Date>'],
  ])('is none when %s', (_, source) => {
    expect(undocumentedOfSource(onLines(source))).toEqual([])
  })
})
