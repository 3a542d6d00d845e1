import {
  aesGcmCipher,
  createIam,
  memoryEventStore,
  orThrow,
  type SignInSettingsInput,
} from 'claviger'
import { type OpenIdSignIn, openIdSignIn, type SignInOptions } from 'claviger/oidc'
import { err, ok } from 'neverthrow'
import { type Attack, hostileProvider } from './hostile-provider.js'

const caller = { userId: 'sign-in', orgId: 'acme' }
const context = { caller }

/** Names the only provider of the only organization. */
export const own = { orgId: 'acme', idpId: 'own' }

/** What differs from a provider that does as it should, and from a host that asks nothing of it. */
export interface Difference {
  readonly attack?: Attack
  readonly settings?: SignInSettingsInput
  readonly idp?: object
  readonly options?: Partial<SignInOptions>
  /** In place of the domains of the host. */
  readonly domains?: SignInOptions['iam']['domains']
  /** Fields of the token response. */
  readonly tokens?: object
  /** Of the callback; undefined leaves one out. */
  readonly back?: Readonly<Record<string, string | undefined>>
}

/** An OpenID provider, and hosts that have it as their only one. */
export const oneProvider = async () => {
  const provider = await hostileProvider()
  const { issuer, state, close } = provider

  /** A host with this provider, and with the project `app` whose role `reader` the group `finance` has. */
  const host = async ({ settings, idp, options, domains }: Difference = {}) => {
    const iam = createIam({
      store: memoryEventStore(),
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    })
    const { identityProviders, projects, projectRoles, roleMappings } = iam
    const stored = { idpId: 'own', name: 'Own', clientId: 'c1', clientSecret: 's3cret', issuer }
    const scopes = ['openid', 'profile', 'email']
    await orThrow(identityProviders.addOidc({ ...stored, scopes, ...idp }, context))
    if (settings)
      await orThrow(identityProviders.configureSignIn({ idpId: 'own', ...settings }, context))
    await orThrow(projects.add({ id: 'app', name: 'App' }, context))
    const role = { projectId: 'app', roleKey: 'reader', displayName: 'Reader' }
    await orThrow(projectRoles.add(role, context))
    const mapping = { idpId: 'own', group: 'finance', projectId: 'app', roleKeys: ['reader'] }
    await orThrow(roleMappings.add(mapping, context))
    const signIn = openIdSignIn({
      iam: domains ? { ...iam, domains } : iam,
      caller,
      key: new Uint8Array(32),
      callbackBase: 'https://host.test/callback',
      allowHttpLoopback: true,
      userIdOf: ({ subject }) => `user of ${subject}`,
      ...options,
    })
    return { iam, signIn }
  }

  /** Goes through the provider, which does as `attack` says, and returns what the browser brings back. */
  const callback = async (signIn: OpenIdSignIn, difference: Difference, input: object = {}) =>
    (await backFrom(signIn, difference, input))._unsafeUnwrap()

  const backFrom = async (
    signIn: OpenIdSignIn,
    { attack = {}, tokens = {}, back = {} }: Difference,
    input: object = {},
  ) => {
    state.attack = attack
    state.tokens = tokens
    const begun = await signIn.begin({ ...own, ...input })
    if (begun.isErr()) return err(begun.error)
    const { url, attempt } = begun.value
    const asked = new URL(url).searchParams
    state.nonce = asked.get('nonce') ?? ''
    const query = { code: 'c', iss: issuer, state: asked.get('state') ?? '', ...back }
    const given = Object.entries(query).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const path = new URL(asked.get('redirect_uri') ?? '').pathname
    return ok({ url: `${path}?${new URLSearchParams(given)}`, attempt })
  }

  /** What a sign-in ends with. */
  const signedIn = async (difference: Difference) => {
    const { signIn } = await host(difference)
    const back = await backFrom(signIn, difference)
    return back.isErr() ? err(back.error) : signIn.finish(back.value)
  }

  return { ...provider, host, callback, signedIn, close, context }
}

/** A user info with these claims. */
export const info =
  (claims: object): NonNullable<Attack['info']> =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ sub: 'ann', ...claims }))
