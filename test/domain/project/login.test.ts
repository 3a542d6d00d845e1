import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import {
  brandingOrganization,
  checkLogin,
  roleClaims,
  rolesOfGroup,
} from '../../../src/domain/project/login.js'

const details = { resourceOwner: 'acme' }
const open = { projectRoleCheck: false, hasProjectCheck: false, details }
const stranger = { userOrgId: 'other', userRoleKeys: [], grantedOrgIds: [] }

describe('checkLogin', () => {
  it('lets anyone into a project without checks', () => {
    expect(checkLogin({ project: open, roleKeys: [] }, stranger)).toEqual(ok(undefined))
    const active = { ...open, state: 'active' } as const
    expect(checkLogin({ project: active, roleKeys: [] }, stranger)).toEqual(ok(undefined))
  })

  it('lets nobody log in to an inactive project, with any checks', () => {
    const refused = err({ kind: 'ProjectInactive' })
    for (const flag of [false, true]) {
      const checks = { projectRoleCheck: flag, hasProjectCheck: flag }
      // Nor of a state that it is not told by: `STATE_INACTIVE` is what the transport calls it.
      for (const state of ['inactive', 'STATE_INACTIVE', '']) {
        const project = { ...open, ...checks, state } as never
        expect(checkLogin({ project, roleKeys: [] }, stranger)).toEqual(refused)
      }
    }
  })

  describe('with projectRoleCheck', () => {
    const project = { ...open, projectRoleCheck: true }
    const roleKeys = ['editor', 'author']
    const refused = err({ kind: 'ProjectRoleRequired' })

    it.each([[['editor']], [['author']], [['other', 'author']]])('lets in %j', (userRoleKeys) => {
      expect(checkLogin({ project, roleKeys }, { ...stranger, userRoleKeys })).toEqual(
        ok(undefined),
      )
    })

    it.each([[[]], [['removed']], [['Editor']], [['editor ']]])('refuses %j', (userRoleKeys) => {
      expect(checkLogin({ project, roleKeys }, { ...stranger, userRoleKeys })).toEqual(refused)
    })

    it('refuses everyone when the project has no roles', () => {
      const user = { ...stranger, userRoleKeys: ['editor'] }
      expect(checkLogin({ project, roleKeys: [] }, user)).toEqual(refused)
    })

    it('excepts neither the owner nor an organization with a grant', () => {
      for (const userOrgId of ['acme', 'granted']) {
        const user = { userOrgId, userRoleKeys: [], grantedOrgIds: ['granted'] }
        expect(checkLogin({ project, roleKeys }, user)).toEqual(refused)
      }
    })
  })

  describe('with hasProjectCheck', () => {
    const project = { ...open, hasProjectCheck: true }

    it('lets in the organization that owns the project, without a grant', () => {
      const user = { ...stranger, userOrgId: 'acme' }
      expect(checkLogin({ project, roleKeys: [] }, user)).toEqual(ok(undefined))
    })

    it('lets in an organization with a grant', () => {
      const user = { ...stranger, grantedOrgIds: ['third', 'other'] }
      expect(checkLogin({ project, roleKeys: [] }, user)).toEqual(ok(undefined))
    })

    it('refuses any other organization, by its id', () => {
      const user = { ...stranger, userRoleKeys: ['editor'], grantedOrgIds: ['third'] }
      expect(checkLogin({ project, roleKeys: ['editor'] }, user)).toEqual(
        err({ kind: 'ProjectGrantRequired', userOrgId: 'other' }),
      )
    })
  })

  it('with both checks requires the role first, then the grant', () => {
    const project = { ...open, projectRoleCheck: true, hasProjectCheck: true }
    const state = { project, roleKeys: ['editor'] }
    const editor = { ...stranger, userRoleKeys: ['editor'] }
    expect(checkLogin(state, stranger)).toEqual(err({ kind: 'ProjectRoleRequired' }))
    expect(checkLogin(state, editor)).toEqual(
      err({ kind: 'ProjectGrantRequired', userOrgId: 'other' }),
    )
    expect(checkLogin(state, { ...editor, userOrgId: 'acme' })).toEqual(ok(undefined))
  })
})

const editor = { roleKey: 'editor', displayName: 'Editor', group: 'content' }
const author = { roleKey: 'author', displayName: 'Author', group: 'content' }
const viewer = { roleKey: 'viewer', displayName: 'Viewer', group: '' }
const roles = [editor, author, viewer]

describe('roleClaims', () => {
  const asserting = { projectRoleAssertion: true }

  it('returns the roles of the user that the project has', () => {
    const userRoleKeys = ['viewer', 'removed', 'editor']
    expect(roleClaims({ project: asserting, roles }, userRoleKeys)).toEqual([editor, viewer])
  })

  it('tells nothing when the project does not assert roles', () => {
    const project = { projectRoleAssertion: false }
    expect(roleClaims({ project, roles }, ['editor'])).toEqual([])
  })

  it('tells nothing of a role but key, display name and group', () => {
    const read = [{ ...editor, state: 'active', details }]
    expect(roleClaims({ project: asserting, roles: read }, ['editor'])).toEqual([editor])
  })
})

describe('brandingOrganization', () => {
  const UNSPECIFIED = 'PRIVATE_LABELING_SETTING_UNSPECIFIED'
  const ENFORCE = 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'
  const ALLOW = 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'

  it.each([
    { setting: UNSPECIFIED, user: { userOrgId: 'other' }, organization: undefined },
    { setting: UNSPECIFIED, user: undefined, organization: undefined },
    { setting: ENFORCE, user: { userOrgId: 'other' }, organization: 'acme' },
    { setting: ENFORCE, user: undefined, organization: 'acme' },
    { setting: ALLOW, user: { userOrgId: 'other' }, organization: 'other' },
    { setting: ALLOW, user: { userOrgId: undefined }, organization: undefined },
    { setting: ALLOW, user: {}, organization: undefined },
    { setting: ALLOW, user: undefined, organization: undefined },
  ] as const)('is $organization with $setting for $user', ({ setting, user, organization }) => {
    const project = { privateLabelingSetting: setting, details }
    expect(brandingOrganization(project, user)).toBe(organization)
  })
})

describe('rolesOfGroup', () => {
  it('finds the roles that carry the group, in their order', () => {
    expect(rolesOfGroup(roles, 'content')).toEqual([editor, author])
    expect(rolesOfGroup(roles, '')).toEqual([viewer])
    expect(rolesOfGroup(roles, 'Content')).toEqual([])
  })
})
