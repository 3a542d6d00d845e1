import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type { DesiredIdentityProvider as DesiredIdentityProviderSchema } from '../../src/application/desired-state/declared/desired-access.js'
import type { DesiredProject as DesiredProjectSchema } from '../../src/application/desired-state/declared/desired-project.js'
import type {
  AddOidcInput as AddOidcSchema,
  ListIdentityProvidersInput as ListIdentityProvidersSchema,
  PatchIdentityProviderInput as PatchIdentityProviderSchema,
  UpdateOidcConfigInput as UpdateOidcConfigSchema,
} from '../../src/application/identity-providers/identity-provider-input.js'
import type { AddProjectRolesInput as AddProjectRolesSchema } from '../../src/application/project-roles/add-project-roles.js'
import type { ListProjectRolesInput as ListProjectRolesSchema } from '../../src/application/project-roles/project-roles.js'
import type { CheckLoginInput as CheckLoginSchema } from '../../src/application/projects/login.js'
import type {
  AddProjectInput as AddProjectSchema,
  ListProjectsInput as ListProjectsSchema,
} from '../../src/application/projects/projects.js'
import type { ListHistoryInput as ListHistorySchema } from '../../src/application/reading/history.js'
import type { StateAtInput as StateAtSchema } from '../../src/application/reading/state-at.js'
import type * as domain from '../../src/domain/index.js'
import type * as claviger from '../../src/index.js'
import type { Frozen, InFull } from './frozen.js'
import { objectionsTo } from './program.js'

/** What `Schema` takes. */
type Given<Schema extends z.ZodMiniType> = Frozen<z.input<Schema>>

describe('The type of an input, which has docstrings, is what its schema takes, in full where it replaces', () => {
  it('of identity providers', () => {
    type Update = (typeof claviger.UpdateIdentityProvider)['shape']['data']
    type Name = (typeof claviger.RemoveIdentityProvider)['shape']['data']
    expectTypeOf<Frozen<claviger.AddOidcInput>>().toEqualTypeOf<Given<typeof AddOidcSchema>>()
    type UpdateOidc = Given<typeof UpdateOidcConfigSchema>
    expectTypeOf<Frozen<claviger.UpdateOidcConfigInput>>().toEqualTypeOf<
      Frozen<InFull<Omit<UpdateOidc, 'clientSecret'>> & Pick<UpdateOidc, 'clientSecret'>>
    >()
    expectTypeOf<Frozen<claviger.UpdateIdentityProviderInput>>().toEqualTypeOf<
      InFull<Given<Update>>
    >()
    expectTypeOf<Frozen<claviger.PatchIdentityProviderInput>>().toEqualTypeOf<
      Given<typeof PatchIdentityProviderSchema>
    >()
    expectTypeOf<Frozen<claviger.IdentityProviderInput>>().toEqualTypeOf<Given<Name>>()
    expectTypeOf<Frozen<claviger.ListIdentityProvidersInput>>().toEqualTypeOf<
      Given<typeof ListIdentityProvidersSchema>
    >()
  })

  it('of projects', () => {
    type Update = (typeof claviger.UpdateProject)['shape']['data']
    type Patch = (typeof domain.PatchProject)['shape']['data']
    type Name = (typeof claviger.RemoveProject)['shape']['data']
    expectTypeOf<Frozen<claviger.AddProjectInput>>().toEqualTypeOf<Given<typeof AddProjectSchema>>()
    expectTypeOf<Frozen<claviger.UpdateProjectInput>>().toEqualTypeOf<InFull<Given<Update>>>()
    expectTypeOf<Frozen<claviger.PatchProjectInput>>().toEqualTypeOf<Given<Patch>>()
    expectTypeOf<Frozen<claviger.ProjectInput>>().toEqualTypeOf<Given<Name>>()
    expectTypeOf<Frozen<claviger.CheckLoginInput>>().toEqualTypeOf<Given<typeof CheckLoginSchema>>()
    expectTypeOf<Frozen<claviger.ListProjectsInput>>().toEqualTypeOf<
      Given<typeof ListProjectsSchema>
    >()
  })

  it('of roles', () => {
    type Add = (typeof claviger.AddProjectRole)['shape']['data']
    type Update = (typeof claviger.UpdateProjectRole)['shape']['data']
    type Patch = (typeof domain.PatchProjectRole)['shape']['data']
    type Name = (typeof claviger.RemoveProjectRole)['shape']['data']
    type Imported = claviger.ImportProjectRolesInput['roles']
    type Added = Given<typeof AddProjectRolesSchema>['roles'][number]
    expectTypeOf<Frozen<claviger.AddProjectRoleInput>>().toEqualTypeOf<Given<Add>>()
    // In full, but for the permissions, which version 0.1 did not have.
    expectTypeOf<Frozen<claviger.UpdateProjectRoleInput>>().toEqualTypeOf<
      Frozen<InFull<Omit<Given<Update>, 'permissions'>> & Pick<Given<Update>, 'permissions'>>
    >()
    expectTypeOf<Frozen<claviger.PatchProjectRoleInput>>().toEqualTypeOf<Given<Patch>>()
    expectTypeOf<Frozen<claviger.ProjectRoleInput>>().toEqualTypeOf<Given<Name>>()
    expectTypeOf<Frozen<claviger.AddProjectRolesInput>>().toEqualTypeOf<
      Given<typeof AddProjectRolesSchema>
    >()
    expectTypeOf<
      Imported extends Iterable<infer Role> | AsyncIterable<infer Role> ? Frozen<Role> : never
    >().toEqualTypeOf<Added>()
    expectTypeOf<Frozen<claviger.ListProjectRolesInput>>().toEqualTypeOf<
      Given<typeof ListProjectRolesSchema>
    >()
  })

  it('of history', () => {
    expectTypeOf<Frozen<claviger.ListHistoryInput>>().toEqualTypeOf<
      Given<typeof ListHistorySchema>
    >()
    expectTypeOf<Frozen<claviger.StateAtInput>>().toEqualTypeOf<Given<typeof StateAtSchema>>()
  })

  it('of a desired state', () => {
    expectTypeOf<Frozen<claviger.DesiredProject>>().toEqualTypeOf<
      Given<typeof DesiredProjectSchema>
    >()
    expectTypeOf<Frozen<claviger.DesiredIdentityProvider>>().toEqualTypeOf<
      Given<typeof DesiredIdentityProviderSchema>
    >()
  })
})

describe('An input', () => {
  const source = (code: string) => `
    import type * as claviger from 'claviger'
    declare const iam: claviger.Iam
    declare const context: claviger.Context
    declare const text: string | undefined
    declare const roles: readonly { readonly roleKey: string; readonly displayName: string }[]
    ${code}`

  it.each([
    [
      'has undefined for absent',
      'iam.projects.list({ pageToken: text, filter: undefined }, context)',
    ],
    [
      'has lists that nobody may change',
      "iam.projectRoles.addMany({ projectId: 'p', roles }, context)",
    ],
    [
      'has lists that are as const',
      "iam.projects.list({ sort: [{ field: 'name' }] } as const, context)",
    ],
    [
      'is built up',
      "const input = { name: 'Portal', projectRoleCheck: true }\niam.projects.add(input, context)",
    ],
    [
      'satisfies its type',
      "export const input = { actor: text, types: ['project.added'], after: 0n } satisfies claviger.ListHistoryInput",
    ],
    [
      'is what get answers, with other values',
      `const found = (await iam.projects.get({ id: 'p' }, context))._unsafeUnwrap()
       iam.projects.update({ ...found, name: 'Gate' }, context)
`,
    ],
    [
      'names an object by what an event tells of',
      `const object: claviger.ObjectRef = { type: 'project', id: 'p' }
       iam.history.list({ object }, context)
       iam.history.stateAt({ object, time: new Date() }, context)`,
    ],
    [
      'iterates over rows',
      "iam.projectRoles.import({ projectId: 'p', roles: new Set(roles) }, context)",
    ],
  ])('%s', (_, code) => {
    expect(objectionsTo(source(code))).toEqual([])
  })

  it.each([
    ['with a field too many', "iam.projects.add({ name: 'Portal', naem: 'Gate' }, context)"],
    [
      'without one that is required',
      "iam.projectRoles.add({ projectId: 'p', roleKey: 'k' }, context)",
    ],
    [
      'ordered by a field that does not order',
      "iam.projects.list({ sort: [{ field: 'details' }] }, context)",
    ],
    [
      'with a type of event that there is not',
      "iam.history.list({ types: ['project.changed'] }, context)",
    ],
  ])('is refused %s', (_, code) => {
    expect(objectionsTo(source(code))).toHaveLength(1)
  })
})
