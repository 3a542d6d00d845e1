// The specification, sentence by sentence, through the public interface; docs/spec-trace.md is the map.
import type { ResultAsync } from 'neverthrow'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type AddOidcInput,
  aesGcmCipher,
  authorizationScopes,
  brandingOrganization,
  type Caller,
  type Context,
  checkLogin,
  createIam,
  type Iam,
  type IamError,
  mapExternalUser,
  mayAutoRegister,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
  roleClaims,
  rolesOfGroup,
  timeOf,
  toJson,
  toStatus,
} from '../src/index.js'
import { fixedClock } from '../src/testing/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from './defaults.js'

const everything = [
  'identity_provider.read',
  'identity_provider.write',
  'identity_provider.secret.read',
  'project.read',
  'project.write',
  'project.role.read',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'user.grant.read',
  'user.grant.write',
  'event.read',
] as const

const context: Context = { caller: { userId: 'u1', orgId: 'acme', permissions: everything } }
const stranger: Context = { caller: { userId: 'u2', orgId: 'acme' } }

const long = (length: number) => '🔑'.repeat(length)

const clock = fixedClock('2026-01-01T00:00:00Z')
let iam: Iam

beforeEach(() => {
  clock.set('2026-01-01T00:00:00Z')
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
  const store = memoryEventStore({ now: clock })
  iam = createIam({ store, secrets, authorize: permissionsFromCaller })
})

const oidc: AddOidcInput = {
  name: 'Example',
  clientId: 'client',
  clientSecret: 'secret',
  issuer: 'https://issuer.example',
}

const addOidc = async (input: Partial<AddOidcInput> = {}) =>
  (await iam.identityProviders.addOidc({ ...oidc, ...input }, context))._unsafeUnwrap()

const addProject = async (id = 'portal') =>
  (await iam.projects.add({ id, name: 'Portal' }, context))._unsafeUnwrap()

const addRole = (roleKey: string, group = '') =>
  iam.projectRoles.add({ projectId: 'portal', roleKey, displayName: roleKey, group }, context)

const getIdp = async (idpId: string) =>
  (await iam.identityProviders.get({ idpId }, context))._unsafeUnwrap()

const getProject = async () => (await iam.projects.get({ id: 'portal' }, context))._unsafeUnwrap()

/** The code and the fields that a refused call names. */
const refusal = async (call: ResultAsync<unknown, IamError>) => {
  const { code, details } = toStatus((await call)._unsafeUnwrapErr())
  const violations = details.flatMap(({ fieldViolations }) => fieldViolations ?? [])
  return { code, fields: violations.map((violation) => Reflect.get(Object(violation), 'field')) }
}

const malformed = (...fields: string[]) => ({ code: 3, fields })

describe('Common response object details', () => {
  it('On create, sequence and both dates are those of the events added', async () => {
    const { details, events } = await addProject()
    expect(events).toHaveLength(1)
    expect(details).toEqual({
      sequence: events[0]?.position,
      creationDate: new Date('2026-01-01T00:00:00Z'),
      changeDate: new Date('2026-01-01T00:00:00Z'),
      resourceOwner: 'acme',
    })
  })

  it('On manipulation, sequence is the timestamp of the event added', async () => {
    await addProject()
    clock.set('2026-01-02T00:00:00Z')
    const updated = await iam.projects.update(
      { ...PROJECT_DEFAULTS, id: 'portal', name: 'Shop' },
      context,
    )
    const { details } = updated._unsafeUnwrap()
    expect(timeOf(details.sequence)).toEqual(new Date('2026-01-02T00:00:00Z'))
    expect(details.changeDate).toEqual(new Date('2026-01-02T00:00:00Z'))
    expect(details.creationDate).toEqual(new Date('2026-01-01T00:00:00Z'))
  })

  it('On read, they are of the last event reduced and of the first event of the object', async () => {
    const added = await addProject()
    clock.set('2026-01-02T00:00:00Z')
    const updated = await iam.projects.update(
      { ...PROJECT_DEFAULTS, id: 'portal', name: 'Shop' },
      context,
    )
    const { details } = await getProject()
    expect(details).toEqual(updated._unsafeUnwrap().details)
    expect(details.creationDate).toEqual(added.details.creationDate)
  })

  it('sequence is a uint64, as text in JSON; dates are RFC 3339', async () => {
    const { details } = await addProject()
    expect(typeof details.sequence).toBe('bigint')
    expect(toJson(details)).toEqual({
      sequence: '1767225600000000',
      creationDate: '2026-01-01T00:00:00.000Z',
      changeDate: '2026-01-01T00:00:00.000Z',
      resourceOwner: 'acme',
    })
  })
})

describe('OIDC identity provider configuration', () => {
  it.each(['name', 'clientId', 'clientSecret'] as const)(
    '%s is required on add, non-empty, at most 200 characters',
    async (field) => {
      const { [field]: _, ...rest } = oidc
      expect(await refusal(iam.identityProviders.addOidc(rest as never, context))).toEqual(
        malformed(field),
      )
      for (const value of ['', long(201)]) {
        const call = iam.identityProviders.addOidc({ ...oidc, [field]: value }, context)
        expect(await refusal(call)).toEqual(malformed(field))
      }
      await addOidc({ [field]: long(200) })
    },
  )

  it('issuer is required on add, at most 200 characters', async () => {
    const { issuer: _, ...rest } = oidc
    expect(await refusal(iam.identityProviders.addOidc(rest as never, context))).toEqual(
      malformed('issuer'),
    )
    const tooLong = iam.identityProviders.addOidc({ ...oidc, issuer: long(201) }, context)
    expect(await refusal(tooLong)).toEqual(malformed('issuer'))
    await addOidc({ issuer: '' })
  })

  it.each(['issuer', 'clientId'] as const)('%s is required on update, non-empty', async (field) => {
    const { idpId } = await addOidc()
    const config = { idpId, issuer: 'https://issuer.example', clientId: 'client' }
    for (const value of ['', long(201), undefined]) {
      const call = iam.identityProviders.updateOidcConfig(
        { ...config, [field]: value } as never,
        context,
      )
      expect(await refusal(call)).toEqual(malformed(field))
    }
  })

  it('clientSecret is at most 200 characters on update', async () => {
    const { idpId } = await addOidc()
    const call = iam.identityProviders.updateOidcConfig(
      { ...OIDC_DEFAULTS, idpId, issuer: 'i', clientId: 'c', clientSecret: long(201) },
      context,
    )
    expect(await refusal(call)).toEqual(malformed('clientSecret'))
  })

  it('Enumerations have the defaults and the allowed values of the specification', async () => {
    const unset = await getIdp((await addOidc()).idpId)
    expect(unset).toMatchObject({
      stylingType: 'STYLING_TYPE_UNSPECIFIED',
      displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
      usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
      scopes: [],
      autoRegister: false,
    })
    const set = {
      stylingType: 'STYLING_TYPE_GOOGLE',
      displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
    } as const
    expect(await getIdp((await addOidc(set)).idpId)).toMatchObject(set)
    for (const field of Object.keys(set)) {
      const call = iam.identityProviders.addOidc({ ...oidc, [field]: 'OTHER' } as never, context)
      expect(await refusal(call)).toEqual(malformed(field))
    }
  })

  it('scopes are those the service requests from the identity provider', async () => {
    const idp = await getIdp((await addOidc({ scopes: ['email', 'profile'] })).idpId)
    expect(authorizationScopes(idp)).toEqual(['openid', 'email', 'profile'])
  })

  it('The mappings say which provider field becomes username and display name', async () => {
    const idp = await getIdp(
      (
        await addOidc({
          usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
          displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
        })
      ).idpId,
    )
    const claims = {
      sub: '1',
      email: 'a@example.org',
      email_verified: true,
      preferred_username: 'ann',
    }
    expect(mapExternalUser(idp, claims)).toEqual({ username: 'a@example.org', displayName: 'ann' })
  })

  it('autoRegister decides whether unknown users may be registered', async () => {
    expect(mayAutoRegister(await getIdp((await addOidc({ autoRegister: true })).idpId))).toBe(true)
    expect(mayAutoRegister(await getIdp((await addOidc()).idpId))).toBe(false)
  })
})

describe('1. Add OIDC identity provider', () => {
  it('Creates a new configuration and returns details and the id of the provider', async () => {
    const { idpId, details } = await addOidc()
    expect(details.resourceOwner).toBe('acme')
    expect(await getIdp(idpId)).toMatchObject({ idpId, name: 'Example', clientId: 'client' })
  })

  it('400 invalid argument, 403 no permission', async () => {
    expect(
      (await refusal(iam.identityProviders.addOidc({ ...oidc, name: '' }, context))).code,
    ).toBe(3)
    expect((await refusal(iam.identityProviders.addOidc(oidc, stranger))).code).toBe(7)
  })
})

describe('2. Update OIDC identity provider', () => {
  const config = { issuer: 'https://new.example', clientId: 'new' }

  it('All fields are updated; a field given no value is empty afterwards', async () => {
    const { idpId } = await addOidc({
      scopes: ['email'],
      usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
    })
    await iam.identityProviders.updateOidcConfig({ idpId, ...config } as never, context)
    expect(await getIdp(idpId)).toMatchObject({
      ...config,
      scopes: [],
      usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
      displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
    })
  })

  it('name, stylingType and autoRegister are not part of the update request', async () => {
    const { idpId } = await addOidc({ autoRegister: true, stylingType: 'STYLING_TYPE_GOOGLE' })
    await iam.identityProviders.updateOidcConfig({ ...OIDC_DEFAULTS, idpId, ...config }, context)
    expect(await getIdp(idpId)).toMatchObject({
      name: 'Example',
      autoRegister: true,
      stylingType: 'STYLING_TYPE_GOOGLE',
    })
    const named = { idpId, ...config, name: 'Other' } as never
    expect(await refusal(iam.identityProviders.updateOidcConfig(named, context))).toEqual(
      malformed('name'),
    )
  })

  it.each([[''], [undefined]])('clientSecret %j is not overwritten', async (clientSecret) => {
    const { idpId } = await addOidc()
    await iam.identityProviders.updateOidcConfig(
      { ...OIDC_DEFAULTS, idpId, ...config, clientSecret },
      context,
    )
    const revealed = await iam.identityProviders.revealClientSecret({ idpId }, context)
    expect(revealed._unsafeUnwrap()).toMatchObject({ clientSecret: 'secret' })
  })

  it('A clientSecret that is given replaces the stored one', async () => {
    const { idpId } = await addOidc()
    await iam.identityProviders.updateOidcConfig(
      { ...OIDC_DEFAULTS, idpId, ...config, clientSecret: 'n' },
      context,
    )
    const revealed = await iam.identityProviders.revealClientSecret({ idpId }, context)
    expect(revealed._unsafeUnwrap()).toMatchObject({ clientSecret: 'n' })
  })

  it('400, 403, 404 resource does not exist, 409 precondition failed', async () => {
    const { idpId } = await addOidc()
    const update = (input: object, with_ = context) =>
      refusal(
        iam.identityProviders.updateOidcConfig(
          { ...OIDC_DEFAULTS, idpId, ...config, ...input },
          with_,
        ),
      )
    expect((await update({ issuer: '' })).code).toBe(3)
    expect((await update({}, stranger)).code).toBe(7)
    expect((await update({ idpId: 'missing' })).code).toBe(5)
    expect((await update({}, { ...context, expectedSequence: 1n })).code).toBe(9)
  })
})

describe('3. Update project', () => {
  it('name is required, non-empty, at most 200 characters', async () => {
    await addProject()
    for (const name of ['', long(201), undefined]) {
      const call = iam.projects.update({ id: 'portal', name } as never, context)
      expect(await refusal(call)).toEqual(malformed('name'))
    }
    const longest = await iam.projects.update(
      { ...PROJECT_DEFAULTS, id: 'portal', name: long(200) },
      context,
    )
    expect(longest.isOk()).toBe(true)
  })

  it('Updates the project and its settings, and returns details', async () => {
    await addProject()
    const settings = {
      name: 'Shop',
      projectRoleAssertion: true,
      projectRoleCheck: true,
      hasProjectCheck: true,
      privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    } as const
    const updated = await iam.projects.update({ id: 'portal', ...settings }, context)
    expect(updated._unsafeUnwrap().details.resourceOwner).toBe('acme')
    expect(await getProject()).toMatchObject(settings)
    await iam.projects.update({ id: 'portal', name: 'Shop' } as never, context)
    expect(await getProject()).toMatchObject({
      projectRoleAssertion: false,
      privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    })
  })

  it('projectRoleAssertion includes role information in user info', async () => {
    const roles = [{ roleKey: 'a', displayName: 'A', group: '' }]
    expect(roleClaims({ project: { projectRoleAssertion: true }, roles }, ['a'])).toEqual(roles)
    expect(roleClaims({ project: { projectRoleAssertion: false }, roles }, ['a'])).toEqual([])
  })

  it('projectRoleCheck lets in users with a role of the project alone', async () => {
    await addProject()
    await addRole('a')
    await iam.projects.update(
      { ...PROJECT_DEFAULTS, id: 'portal', name: 'P', projectRoleCheck: true },
      context,
    )
    const login = (userRoleKeys: string[]) =>
      iam.projects.checkLogin({ id: 'portal', userOrgId: 'acme', userRoleKeys }, context)
    expect((await login(['a'])).isOk()).toBe(true)
    expect((await login([])).isErr()).toBe(true)
  })

  it('hasProjectCheck lets in organizations with a grant alone', async () => {
    await addProject()
    await iam.projects.update(
      { ...PROJECT_DEFAULTS, id: 'portal', name: 'P', hasProjectCheck: true },
      context,
    )
    const project = await getProject()
    const login = (grantedOrgIds: string[]) =>
      checkLogin({ project, roleKeys: [] }, { userOrgId: 'other', userRoleKeys: [], grantedOrgIds })
    expect(login(['other']).isOk()).toBe(true)
    expect(login([]).isErr()).toBe(true)
  })

  it('projectRoleCheck lets in users who were given a role of the project alone', async () => {
    await orThrow(
      iam.projects.add({ id: 'portal', name: 'Portal', projectRoleCheck: true }, context),
    )
    await addRole('a')
    const user = { userId: 'u3', projectId: 'portal' }
    const check = async () => {
      const login = { id: 'portal', userId: 'u3', userOrgId: 'acme' }
      const { allowed } = await orThrow(iam.access.check(user, context))
      return [allowed, (await iam.projects.checkLogin(login, context)).isOk()]
    }
    expect(await check()).toEqual([false, false])
    await orThrow(iam.userGrants.add({ ...user, roles: [{ roleKey: 'a' }] }, context))
    expect(await check()).toEqual([true, true])
    await orThrow(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'a' }, context))
    expect(await check()).toEqual([false, false])
  })

  it('hasProjectCheck lets in organizations that were granted the project alone', async () => {
    await orThrow(
      iam.projects.add({ id: 'portal', name: 'Portal', hasProjectCheck: true }, context),
    )
    await addRole('a')
    const other: Context = { caller: { userId: 'u3', orgId: 'other', permissions: everything } }
    const check = async () => {
      const user = { userId: 'u3', projectId: 'portal', projectOrgId: 'acme' }
      const login = { id: 'portal', userId: 'u3', userOrgId: 'other' }
      const { allowed } = await orThrow(iam.access.check(user, other))
      return [allowed, (await iam.projects.checkLogin(login, context)).isOk()]
    }
    const grant = { projectId: 'portal', grantedOrgId: 'other' }
    expect(await check()).toEqual([false, false])
    await orThrow(iam.projectGrants.add({ ...grant, roleKeys: ['a'] }, context))
    expect(await check()).toEqual([true, true])
    await orThrow(iam.projectGrants.remove(grant, context))
    expect(await check()).toEqual([false, false])
  })

  it('privateLabelingSetting says which branding applies at the login', async () => {
    await addProject()
    const brandingWith = async (name: 'ENFORCE_PROJECT' | 'ALLOW_LOGIN_USER') => {
      const privateLabelingSetting =
        `PRIVATE_LABELING_SETTING_${name}_RESOURCE_OWNER_POLICY` as const
      await iam.projects.update(
        { ...PROJECT_DEFAULTS, id: 'portal', name: 'P', privateLabelingSetting },
        context,
      )
      return brandingOrganization(await getProject(), { userOrgId: 'user-org' })
    }
    expect(brandingOrganization(await getProject())).toBeUndefined()
    expect(await brandingWith('ENFORCE_PROJECT')).toBe('acme')
    expect(await brandingWith('ALLOW_LOGIN_USER')).toBe('user-org')
  })
})

describe('4. Add project role', () => {
  it('Adds a new role to the project', async () => {
    await addProject()
    expect((await addRole('editor', 'content'))._unsafeUnwrap().details.resourceOwner).toBe('acme')
    const role = await iam.projectRoles.get({ projectId: 'portal', roleKey: 'editor' }, context)
    expect(role._unsafeUnwrap()).toMatchObject({ roleKey: 'editor', group: 'content' })
  })

  it.each(['roleKey', 'displayName'])(
    '%s is required, non-empty, at most 200 characters',
    async (field) => {
      await addProject()
      const role = { projectId: 'portal', roleKey: 'a', displayName: 'A' }
      for (const value of ['', long(201), undefined]) {
        const call = iam.projectRoles.add({ ...role, [field]: value } as never, context)
        expect(await refusal(call)).toEqual(malformed(field))
      }
      expect((await iam.projectRoles.add({ ...role, [field]: long(200) }, context)).isOk()).toBe(
        true,
      )
    },
  )

  it('group is at most 200 characters, and used only for display', async () => {
    await addProject()
    expect(await refusal(addRole('a', long(201)))).toEqual(malformed('group'))
    await addRole('b', long(200))
    await addRole('c', 'content')
    const { items } = (
      await iam.projectRoles.list({ projectId: 'portal' }, context)
    )._unsafeUnwrap()
    expect(rolesOfGroup(items, 'content').map(({ roleKey }) => roleKey)).toEqual(['c'])
  })

  it('The roleKey must be unique within the project', async () => {
    await addProject()
    await addProject('shop')
    await addRole('editor')
    expect((await refusal(addRole('editor'))).code).toBe(6)
    const elsewhere = { projectId: 'shop', roleKey: 'editor', displayName: 'Editor' }
    expect((await iam.projectRoles.add(elsewhere, context)).isOk()).toBe(true)
  })
})

describe('Authentication', () => {
  it('The requesting user needs permission on the target resource', async () => {
    await addProject()
    const call = iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Shop' }, stranger)
    expect((await refusal(call)).code).toBe(7)
  })

  it('The organization is that of the requesting user, or another one with permission there', async () => {
    await addProject()
    const guest = (permissionsIn: NonNullable<Caller['permissionsIn']>): Context => ({
      caller: { userId: 'u3', orgId: 'guest', permissions: everything, permissionsIn },
    })
    const update = (with_: Context) =>
      iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Shop' }, with_)
    expect((await refusal(update(guest({})))).code).toBe(5)
    expect((await refusal(update({ ...guest({}), orgId: 'acme' }))).code).toBe(7)
    const permitted = { ...guest({ acme: ['project.write'] }), orgId: 'acme' }
    expect((await update(permitted)).isOk()).toBe(true)
  })
})

describe('Errors', () => {
  it('The body is code, message and details, each with an @type', async () => {
    const error = (
      await iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: '' }, context)
    )._unsafeUnwrapErr()
    expect(toStatus(error)).toEqual({
      code: 3,
      message: expect.any(String),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INVALID_ARGUMENT',
          domain: 'claviger',
          metadata: {},
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'name', description: 'must not be empty' }],
        },
      ],
    })
  })
})
