import type { ResultAsync } from 'neverthrow'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type * as claviger from '../../src/index.js'
import type {
  Aborted,
  AccessDenied,
  Applied,
  BatchWrite,
  DesiredAccess,
  Iam,
  IamError,
  IdentityProviderCommand,
  IdentityProviderEvent,
  IdentityProviderRefusal,
  LoginRefusal,
  ObjectRef,
  Plan,
  ProjectCommand,
  ProjectEvent,
  ProjectRoleCommand,
  ProjectRoleEvent,
  ReadError,
  WriteError,
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
  'Protected',
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
  'AccessDenied',
  'Protected',
] as const satisfies readonly IamError['kind'][]

/** What a read answers with. */
const READ_ERRORS = [
  'Unauthenticated',
  'InvalidArgument',
  'PermissionDenied',
  'NotFound',
  'Cancelled',
  'Unavailable',
  'UnknownEvent',
  'CorruptEvent',
  'SecretUnreadable',
  'ProjectionFailed',
] as const satisfies readonly ReadError['kind'][]

/** What a write answers with: all but what a login is refused with. */
const WRITE_ERRORS = [
  ...READ_ERRORS,
  'AlreadyExists',
  'SequenceMismatch',
  'Protected',
  'PlanOutdated',
  'IdempotencyKeyReused',
  'Aborted',
  'SourceFailed',
  'ProofNotFound',
  'NotConfigured',
  'Protected',
] as const satisfies readonly WriteError['kind'][]

const UNIONS = [
  ['IamError', 'kind', ERRORS],
  ['ReadError', 'kind', READ_ERRORS],
  ['WriteError', 'kind', WRITE_ERRORS],
  ['IdentityProviderRefusal', 'kind', ['NotFound', 'AlreadyExists']],
  [
    'ObjectRef',
    'type',
    [
      'identity_provider',
      'project',
      'project_role',
      'project_grant',
      'user_grant',
      'domain',
      'role_mapping',
      'membership',
      'setup_link',
    ],
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

describe('The error of a method', () => {
  type ErrorOf<Method extends (...given: never) => ResultAsync<unknown, unknown>> =
    ReturnType<Method> extends ResultAsync<unknown, infer Failure> ? Failure : never

  it('is a ReadError of a read, with more only where the method says so', () => {
    expectTypeOf<ErrorOf<Iam['projects']['get']>>().toEqualTypeOf<ReadError>()
    expectTypeOf<ErrorOf<Iam['history']['list']>>().toEqualTypeOf<ReadError>()
    expectTypeOf<ErrorOf<Iam['domains']['route']>>().toEqualTypeOf<ReadError>()
    expectTypeOf<ErrorOf<Iam['run']>>().toEqualTypeOf<ReadError>()
    expectTypeOf<ErrorOf<Iam['projects']['checkLogin']>>().toEqualTypeOf<
      ReadError | LoginRefusal | Aborted
    >()
    expectTypeOf<ErrorOf<Iam['access']['check']>>().toEqualTypeOf<ReadError>()
    expectTypeOf<ErrorOf<Iam['access']['require']>>().toEqualTypeOf<ReadError | AccessDenied>()
    expectTypeOf<ErrorOf<Iam['plan']>>().toEqualTypeOf<WriteError>()
  })

  it('is a WriteError of what writes: one object, several, or as long as it takes', () => {
    // Hosts of 0.1 have wrappers of it whose type says so.
    expectTypeOf<ErrorOf<Iam['projects']['add']>>().toEqualTypeOf<IamError>()
    expectTypeOf<ErrorOf<Iam['apply']>>().toEqualTypeOf<WriteError>()
    expectTypeOf<ErrorOf<Iam['userGrants']['removeAllOfUser']>>().toEqualTypeOf<WriteError>()
    expectTypeOf<ErrorOf<Iam['projectRoles']['import']>>().toEqualTypeOf<WriteError>()
    expectTypeOf<Iam['apply']>().toEqualTypeOf<BatchWrite<DesiredAccess | Plan, Applied>>()
  })

  it('is an IamError in any case', () => {
    expectTypeOf<ReadError>().toExtend<WriteError>()
    expectTypeOf<WriteError>().toExtend<IamError>()
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
