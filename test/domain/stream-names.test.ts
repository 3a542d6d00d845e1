import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identityProviderStream } from '../../src/domain/identity-provider/aggregate.js'
import { projectStream } from '../../src/domain/project/aggregate.js'
import { projectGrantStream } from '../../src/domain/project-grant/aggregate.js'
import { projectRoleStream } from '../../src/domain/project-role/aggregate.js'
import { userGrantStream } from '../../src/domain/user-grant/aggregate.js'
import { OrgId, RoleKey } from '../../src/domain/values.js'

const id = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@~-]{0,5}$/)
  .filter((value) => OrgId.safeParse(value).success)

// Keys and users that look like other parts of a name are the ones that could collide.
const last = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom('a', 'b', '+', '-', '/', '_', '😀'),
      minLength: 1,
      maxLength: 6,
    }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  )
  .filter((value) => RoleKey.safeParse(value).success)

const object = fc.oneof(
  fc.record({ type: fc.constant('identity_provider' as const), orgId: id, id }),
  fc.record({ type: fc.constant('project' as const), orgId: id, id }),
  fc.record({ type: fc.constant('project_role' as const), orgId: id, id, last }),
  fc.record({ type: fc.constant('project_grant' as const), orgId: id, id, last: id }),
  fc.record({ type: fc.constant('user_grant' as const), orgId: id, owner: id, id, last }),
)
type Named = typeof object extends fc.Arbitrary<infer Value> ? Value : never

const streamOf = (named: Named): string => {
  switch (named.type) {
    case 'identity_provider':
      return identityProviderStream(named.orgId, named.id)
    case 'project':
      return projectStream(named.orgId, named.id)
    case 'project_role':
      return projectRoleStream(named.orgId, named.id, named.last)
    case 'project_grant':
      return projectGrantStream(named.orgId, named.id, named.last)
    case 'user_grant':
      return userGrantStream(named.orgId, named.owner, named.id, named.last)
  }
}

const ID = '[A-Za-z0-9][A-Za-z0-9._:@~-]*'
const NAMES = [
  `^(?<type>identity_provider|project)-(?<orgId>${ID})\\+(?<id>${ID})$`,
  `^(?<type>project_role|project_grant)-(?<orgId>${ID})\\+(?<id>${ID})\\+(?<last>.*)$`,
  `^(?<type>user_grant)-(?<orgId>${ID})\\+(?<owner>${ID})\\+(?<id>${ID})\\+(?<last>.*)$`,
].map((name) => new RegExp(name, 's'))

describe('stream names', () => {
  it('are those of the storage contract', () => {
    expect(identityProviderStream('acme', 'google')).toBe('identity_provider-acme+google')
    expect(projectStream('acme', 'portal')).toBe('project-acme+portal')
    expect(projectRoleStream('acme', 'portal', 'a+b/😀 ')).toBe('project_role-acme+portal+a+b/😀 ')
    expect(projectGrantStream('acme', 'portal', 'globex')).toBe('project_grant-acme+portal+globex')
    expect(userGrantStream('globex', 'acme', 'portal', 'a+b@globex.example')).toBe(
      'user_grant-globex+acme+portal+a+b@globex.example',
    )
  })

  it('tell any object from any other: each can be read back from its name', () => {
    fc.assert(
      fc.property(object, (named) => {
        const read = NAMES.flatMap((name) => {
          const found = name.exec(streamOf(named))
          return found ? [{ ...found.groups }] : []
        })
        expect(read).toEqual([{ ...named }])
      }),
      { numRuns: 500 },
    )
  })

  it('differ whenever the objects differ', () => {
    fc.assert(
      fc.property(object, object, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        expect(streamOf(one) === streamOf(other)).toBe(isSame)
      }),
      { numRuns: 500 },
    )
  })

  it('keep role keys apart that only normalization or case folding would join', () => {
    const keys = ['é', 'e\u0301', 'E\u0301', 'É', 'editor', 'Editor', 'editor ', '\uFB01', 'fi']
    const names = keys.map((key) => projectRoleStream('acme', 'portal', key))
    expect(new Set(names).size).toBe(keys.length)
  })

  it('stay within what every database can index', () => {
    const [org, id, text] = ['o'.repeat(64), 'p'.repeat(64), '😀'.repeat(200)]
    const role = projectRoleStream(org, id, text)
    expect(new TextEncoder().encode(role).length).toBe(13 + 64 + 1 + 64 + 1 + 800)
    const grant = userGrantStream(org, org, id, text)
    expect(new TextEncoder().encode(grant).length).toBe(11 + 3 * (64 + 1) + 800)
  })
})
