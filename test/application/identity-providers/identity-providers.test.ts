import { beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { OIDC_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.js'
import {
  addSamples,
  clockedStore,
  context,
  detailsAt,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  oidc,
  positionAt,
  refusal,
  startOfTime,
} from '../host.js'

let world: ReturnType<typeof clockedStore>
let iam: Iam

beforeEach(() => {
  world = clockedStore()
  iam = iamOn(world.store)
})

const ref = { idpId: 'google' }
const notFound = { kind: 'NotFound', object: { type: 'identity_provider', idpId: 'google' } }
const taken = { kind: 'AlreadyExists', object: { type: 'identity_provider', idpId: 'google' } }

/** Lets a minute go by. */
const later = (): Date => {
  world.clock.advance(60_000)
  return world.clock()
}

const add = () => good(iam.identityProviders.addOidc(oidc, context))

describe('identityProviders.addOidc', () => {
  it('answers with id, details and the event, and records actor and owner', async () => {
    const added = await good(
      iam.identityProviders.addOidc(oidc, { ...context, correlationId: 'request-1' }),
    )
    const event = {
      type: 'identity_provider.oidc_added',
      schemaVersion: 1,
      data: {
        idpId: 'google',
        name: 'Google',
        stylingType: 'STYLING_TYPE_UNSPECIFIED',
        autoRegister: false,
        clientId: 'client-1',
        clientSecret: expect.stringMatching(/^aes1\.k1\./),
        issuer: 'https://accounts.example.com',
        scopes: ['openid', 'email'],
        displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
        usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
      },
      stream: 'identity_provider-acme+google',
      version: 1,
      position: positionAt(startOfTime),
      appendId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      metadata: {
        actor: { userId: 'alice', orgId: 'acme' },
        resourceOwner: 'acme',
        correlationId: 'request-1',
      },
    }
    expect(added).toEqual({
      details: detailsAt(startOfTime, startOfTime, positionAt(startOfTime)),
      changed: true,
      events: [event],
      idpId: 'google',
    })
    expect(await logOf(world.store)).toEqual([event])
  })

  it('makes a new id each time when none is given', async () => {
    const { idpId: _, ...input } = oidc
    const one = await good(iam.identityProviders.addOidc(input, context))
    const other = await good(iam.identityProviders.addOidc(input, context))
    expect(one.idpId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(other.idpId > one.idpId).toBe(true)
    expect(await good(iam.identityProviders.get({ idpId: one.idpId }, context))).toMatchObject({
      idpId: one.idpId,
    })
  })

  it('refuses an id that is or was used, and allows a name twice', async () => {
    await add()
    expect(await refusal(iam.identityProviders.addOidc(oidc, context))).toEqual(taken)
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'other' }, context))
    await good(iam.identityProviders.remove(ref, context))
    expect(await refusal(iam.identityProviders.addOidc(oidc, context))).toEqual(taken)
    await good(iam.identityProviders.addOidc(oidc, inGlobex))
  })

  it('keeps every field as given: blanks, an empty issuer, order and duplicates of scopes', async () => {
    const given = {
      ...oidc,
      name: '   ',
      clientId: '😀'.repeat(200),
      issuer: '',
      scopes: ['b', 'a', 'b'],
      stylingType: 'STYLING_TYPE_GOOGLE',
      displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
      autoRegister: true,
    } as const
    await good(iam.identityProviders.addOidc(given, context))
    const { clientSecret: _, ...shown } = given
    expect(await good(iam.identityProviders.get(ref, context))).toEqual({
      ...shown,
      state: 'active',
      details: detailsAt(startOfTime, startOfTime, positionAt(startOfTime)),
    })
  })
})

describe('identityProviders.updateOidcConfig', () => {
  const config = { ...ref, clientId: 'client-2', issuer: 'https://other.example.com' }

  it('replaces the configuration, with defaults for what is absent, and nothing else', async () => {
    await add()
    const changed = later()
    const updated = await good(iam.identityProviders.updateOidcConfig(config as never, context))
    expect(updated).toEqual({
      details: detailsAt(startOfTime, changed, positionAt(changed)),
      changed: true,
      events: [
        expect.objectContaining({
          type: 'identity_provider.oidc_config_updated',
          version: 2,
          data: {
            ...config,
            scopes: [],
            displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
            usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
          },
        }),
      ],
      idpId: 'google',
    })
    expect(await good(iam.identityProviders.get(ref, context))).toMatchObject({
      name: 'Google',
      clientId: 'client-2',
      scopes: [],
      details: updated.details,
    })
  })

  it.each([
    ['given', ['openid']],
    ['absent', undefined],
  ])('answers with an event that nobody can alter, its scopes %s', async (_, scopes) => {
    await using opened = openSqlite(':memory:')
    const onFile = iamOn(opened.store)
    await good(onFile.identityProviders.addOidc(oidc, context))
    const changed = await good(
      onFile.identityProviders.updateOidcConfig({ ...config, scopes } as never, context),
    )
    const { data } = changed.events[0] ?? {}
    expect(data).toMatchObject({ scopes: scopes ?? [] })
    expect(Object.isFrozen(Reflect.get(data ?? {}, 'scopes'))).toBe(true)
  })

  it('changes nothing with what is there already, in that order', async () => {
    const { events, details } = await add()
    later()
    const { clientId, issuer, scopes } = oidc
    const same = { ...OIDC_DEFAULTS, ...ref, clientId, issuer, scopes }
    const kept = await good(
      iam.identityProviders.updateOidcConfig({ ...same, clientSecret: '' }, context),
    )
    expect(kept).toEqual({ details, changed: false, events: [], idpId: 'google' })
    expect(await logOf(world.store)).toEqual(events)
    const reversed = { ...same, scopes: oidc.scopes.toReversed() }
    expect((await good(iam.identityProviders.updateOidcConfig(reversed, context))).changed).toBe(
      true,
    )
  })

  it('counts a secret as a change, even an equal one', async () => {
    await add()
    const { clientId, issuer, scopes, clientSecret } = oidc
    const same = { ...OIDC_DEFAULTS, ...ref, clientId, issuer, scopes, clientSecret }
    expect((await good(iam.identityProviders.updateOidcConfig(same, context))).changed).toBe(true)
  })
})

describe('identityProviders.update', () => {
  it('replaces name, styling and registration, and nothing else', async () => {
    await add()
    const changed = later()
    const input = {
      ...ref,
      name: 'G',
      stylingType: 'STYLING_TYPE_GOOGLE',
      autoRegister: true,
    } as const
    const updated = await good(iam.identityProviders.update(input, context))
    expect(updated).toMatchObject({ changed: true, idpId: 'google', events: [{ data: input }] })
    expect(updated.details).toEqual(detailsAt(startOfTime, changed, positionAt(changed)))
    expect(await good(iam.identityProviders.get(ref, context))).toMatchObject({
      name: 'G',
      scopes: oidc.scopes,
    })
    const again = await good(iam.identityProviders.update(input, context))
    expect(again).toEqual({ ...updated, changed: false, events: [] })
    await good(iam.identityProviders.update({ ...ref, name: 'G' } as never, context))
    expect(await good(iam.identityProviders.get(ref, context))).toMatchObject({
      stylingType: 'STYLING_TYPE_UNSPECIFIED',
      autoRegister: false,
    })
  })
})

describe('The state of an identity provider', () => {
  it('changes once, and then stays', async () => {
    const { details } = await add()
    const { reactivate, deactivate, get } = iam.identityProviders
    expect(await good(reactivate(ref, context))).toMatchObject({ changed: false, details })
    const changed = later()
    const off = await good(deactivate(ref, context))
    expect(off).toMatchObject({
      changed: true,
      events: [{ type: 'identity_provider.deactivated', data: ref }],
      details: detailsAt(startOfTime, changed, positionAt(changed)),
    })
    later()
    expect(await good(deactivate(ref, context))).toEqual({ ...off, changed: false, events: [] })
    expect(await good(get(ref, context))).toMatchObject({ state: 'inactive' })
    await good(
      iam.identityProviders.update(
        { ...PROVIDER_DEFAULTS, ...ref, name: 'while inactive' },
        context,
      ),
    )
    expect(await good(get(ref, context))).toMatchObject({ state: 'inactive' })
    expect(await good(reactivate(ref, context))).toMatchObject({
      changed: true,
      events: [{ type: 'identity_provider.reactivated', data: ref }],
    })
    expect(await good(get(ref, context))).toMatchObject({ state: 'active' })
  })
})

describe('An identity provider that does not exist', () => {
  it.each(['never was', 'was removed', 'is of another organization'])(
    'is not found by any method: it %s',
    async (why) => {
      if (why === 'was removed') {
        await add()
        const removed = await good(iam.identityProviders.remove(ref, context))
        expect(removed).toMatchObject({
          changed: true,
          details: { creationDate: startOfTime },
          events: [{ type: 'identity_provider.removed', data: ref }],
          idpId: 'google',
        })
      }
      if (why === 'is of another organization') await addSamples(iam, inGlobex)
      const before = await logOf(world.store)
      const { updateOidcConfig, update, deactivate, reactivate, remove } = iam.identityProviders
      const { get, revealClientSecret, resealSecrets } = iam.identityProviders
      const calls = [
        updateOidcConfig({ ...OIDC_DEFAULTS, ...ref, clientId: 'c', issuer: 'i' }, context),
        update({ ...PROVIDER_DEFAULTS, ...ref, name: 'n' }, context),
        ...[deactivate, reactivate, remove].map((method) => method(ref, context)),
        get(ref, context),
        revealClientSecret(ref, context),
        resealSecrets(ref, context),
      ]
      for (const call of calls) expect(await refusal(call)).toEqual(notFound)
      expect(await good(iam.identityProviders.list({}, context))).toMatchObject({ items: [] })
      expect(await logOf(world.store)).toEqual(before)
    },
  )
})

describe('identityProviders.configureSignIn', () => {
  const admit = [{ claim: 'hd', values: ['example.com'] }]
  const groups = { claim: 'realm_access', path: ['roles'] }

  it('replaces all settings, which get, list and history show', async () => {
    await add()
    await good(iam.identityProviders.configureSignIn({ ...ref, admit, groups }, context))
    const shown = { ...oidc, clientSecret: undefined, signIn: { admit, groups } }
    const { idpId, signIn } = await good(iam.identityProviders.get(ref, context))
    expect({ idpId, signIn }).toEqual({ idpId: 'google', signIn: shown.signIn })
    await good(iam.identityProviders.configureSignIn({ ...ref, addresses: 'verified' }, context))
    const { items } = await good(iam.identityProviders.list({}, context))
    expect(items).toMatchObject([{ signIn: { addresses: 'verified' } }])
    expect(items[0]?.signIn).not.toHaveProperty('admit')
    await good(iam.identityProviders.configureSignIn(ref, context))
    expect(await good(iam.identityProviders.get(ref, context))).not.toHaveProperty('signIn')
    const history = await good(
      iam.history.list({ object: { type: 'identity_provider', ...ref } }, context),
    )
    expect(history.items.slice(1).map(({ changes }) => changes)).toEqual([
      [{ field: 'signIn', from: undefined, to: { admit, groups } }],
      [{ field: 'signIn', from: { admit, groups }, to: { addresses: 'verified' } }],
      [{ field: 'signIn', from: { addresses: 'verified' }, to: undefined }],
    ])
  })

  it('is the only method that changes them', async () => {
    await add()
    await good(iam.identityProviders.configureSignIn({ ...ref, admit }, context))
    const { name: _, stylingType, autoRegister, ...config } = { ...PROVIDER_DEFAULTS, ...oidc }
    await good(iam.identityProviders.updateOidcConfig({ ...OIDC_DEFAULTS, ...config }, context))
    await good(
      iam.identityProviders.update({ ...ref, name: 'N', stylingType, autoRegister }, context),
    )
    await good(iam.identityProviders.patch({ ...ref, clientId: 'other' }, context))
    await good(iam.identityProviders.deactivate(ref, context))
    await good(iam.identityProviders.reactivate(ref, context))
    const { signIn } = await good(iam.identityProviders.get(ref, context))
    expect(signIn).toEqual({ admit })
  })

  it('refuses a provider that does not exist, and a field that is no setting', async () => {
    const { configureSignIn } = iam.identityProviders
    expect(await refusal(configureSignIn({ ...ref, admit }, context))).toEqual(notFound)
    const odd = { ...ref, admit: [{ claim: 'hd', values: [] }] }
    expect(await refusal(configureSignIn(odd, context))).toMatchObject({
      kind: 'InvalidArgument',
      violations: [{ field: 'admit[0].values', description: 'must have at least 1 item' }],
    })
  })
})
