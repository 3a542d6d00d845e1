import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type * as claviger from '../../src/index.js'
import type {
  IamError,
  IdentityProviderCommand,
  IdentityProviderEvent,
  IdentityProviderRefusal,
  ObjectRef,
  ProjectCommand,
  ProjectEvent,
  ProjectRoleCommand,
  ProjectRoleEvent,
} from '../../src/index.js'
import type { Frozen } from './frozen.js'
import { objectionsTo } from './program.js'

/** A switch over `type` with a case for each of `cases`, in a function that must return a number. */
const switchOver = (type: string, by: string, cases: readonly string[]): string => `
  import type { ${type} } from 'claviger'
  export const numberOf = (value: ${type}): number => {
    switch (value.${by}) {
      ${cases.map((name, index) => `case '${name}': return ${index}`).join('\n')}
    }
  }`

/** Every kind of error; \`satisfies\` refuses a name too many, the test below one too few. */
const ERRORS = [
  'Unauthenticated',
  'InvalidArgument',
  'PermissionDenied',
  'NotFound',
  'AlreadyExists',
  'SequenceMismatch',
  'IdempotencyKeyReused',
  'Aborted',
  'Cancelled',
  'Unavailable',
  'UnknownEvent',
  'CorruptEvent',
  'SecretUnreadable',
  'ProjectionFailed',
  'PlanOutdated',
  'SourceFailed',
  'ProjectInactive',
  'ProjectRoleRequired',
  'ProjectGrantRequired',
  'ProofNotFound',
  'NotConfigured',
] as const satisfies readonly IamError['kind'][]

const UNIONS = [
  ['IamError', 'kind', ERRORS],
  ['IdentityProviderRefusal', 'kind', ['NotFound', 'AlreadyExists']],
  [
    'ObjectRef',
    'type',
    ['identity_provider', 'project', 'project_role', 'project_grant', 'user_grant', 'domain'],
  ],
] as const satisfies readonly (readonly [
  string,
  string,
  readonly (IamError['kind'] | IdentityProviderRefusal['kind'] | ObjectRef['type'])[],
])[]

describe.each(UNIONS)('A switch over %s', (type, by, cases) => {
  it('compiles with every case', () => {
    expect(objectionsTo(switchOver(type, by, cases))).toEqual([])
  })

  it('does not compile without one', () => {
    const objections = objectionsTo(switchOver(type, by, cases.slice(1)))
    expect(objections).toEqual([
      "Function lacks ending return statement and return type does not include 'undefined'.",
    ])
  })

  it('does not compile with one that cannot be', () => {
    expect(objectionsTo(switchOver(type, by, [...cases, 'Other']))).toHaveLength(1)
  })
})

describe('The types of commands and events', () => {
  it('are those that their schemas read', () => {
    type Read<Name extends keyof typeof claviger> =
      (typeof claviger)[Name] extends z.ZodMiniType<infer Output> ? Frozen<Output> : never
    expectTypeOf<Frozen<IdentityProviderCommand>>().toEqualTypeOf<Read<'IdentityProviderCommand'>>()
    expectTypeOf<Frozen<IdentityProviderEvent>>().toEqualTypeOf<Read<'IdentityProviderEvent'>>()
    expectTypeOf<Frozen<ProjectCommand>>().toEqualTypeOf<Read<'ProjectCommand'>>()
    expectTypeOf<Frozen<ProjectEvent>>().toEqualTypeOf<Read<'ProjectEvent'>>()
    expectTypeOf<Frozen<ProjectRoleCommand>>().toEqualTypeOf<Read<'ProjectRoleCommand'>>()
    expectTypeOf<Frozen<ProjectRoleEvent>>().toEqualTypeOf<Read<'ProjectRoleEvent'>>()
  })

  it('do not take one id for another', () => {
    const source = `
      import type { IdpId, ProjectId } from 'claviger'
      export const asProject = (id: IdpId): ProjectId => id`
    expect(objectionsTo(source)).toHaveLength(1)
  })
})
