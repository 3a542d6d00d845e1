import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identityProviderStream } from '../../src/domain/identity-provider/events.js'
import { projectStream } from '../../src/domain/project/events.js'
import { projectRoleStream } from '../../src/domain/project-role/events.js'
import { OrgId, RoleKey } from '../../src/domain/values.js'

const id = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@~-]{0,5}$/)
  .filter((value) => OrgId.safeParse(value).success)

// Keys that look like other parts of a name are the ones that could collide.
const roleKey = fc
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
  fc.record({ type: fc.constant('project_role' as const), orgId: id, id, roleKey }),
)
type Named = typeof object extends fc.Arbitrary<infer Value> ? Value : never

const streamOf = (named: Named): string => {
  switch (named.type) {
    case 'identity_provider':
      return identityProviderStream(named.orgId, named.id)
    case 'project':
      return projectStream(named.orgId, named.id)
    case 'project_role':
      return projectRoleStream(named.orgId, named.id, named.roleKey)
  }
}

const ID = '[A-Za-z0-9][A-Za-z0-9._:@~-]*'
const NAME = new RegExp(
  `^(identity_provider|project|project_role)-(${ID})\\+(${ID})(?:\\+(.*))?$`,
  's',
)

describe('stream names', () => {
  it('are those of the storage contract', () => {
    expect(identityProviderStream('acme', 'google')).toBe('identity_provider-acme+google')
    expect(projectStream('acme', 'portal')).toBe('project-acme+portal')
    expect(projectRoleStream('acme', 'portal', 'a+b/😀 ')).toBe('project_role-acme+portal+a+b/😀 ')
  })

  it('tell any object from any other: each can be read back from its name', () => {
    fc.assert(
      fc.property(object, (named) => {
        const [, type, orgId, readId, key] = NAME.exec(streamOf(named)) ?? []
        const read = { type, orgId, id: readId, ...(key === undefined ? {} : { roleKey: key }) }
        expect(read).toEqual({ ...named })
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
    const longest = projectRoleStream('o'.repeat(64), 'p'.repeat(64), '😀'.repeat(200))
    expect(new TextEncoder().encode(longest).length).toBe(13 + 64 + 1 + 64 + 1 + 800)
  })
})
