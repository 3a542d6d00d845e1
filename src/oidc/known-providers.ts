/** A provider that many organizations have, as its public documents describe it. */
export interface KnownProvider {
  readonly name: string
  /** Matches the issuers of this provider. */
  readonly issuer: RegExp
  /** `failed`: nobody can sign in. `warning`: something has to be set. */
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** For administrators. The guide "Providers" says the same. */
  readonly advice: string
}

/** The first that matches counts. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'Entra ID for several tenants',
    issuer: /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//,
    verdict: 'failed',
    advice:
      'These addresses have no issuer of their own: store https://login.microsoftonline.com/TENANT-ID/v2.0 of one tenant.',
  },
  {
    name: 'Microsoft Entra ID',
    issuer: /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net)\//,
    verdict: 'ok',
    advice:
      'Groups are object ids; users with more than 200 groups come without them. email_verified is never sent. oid identifies users across applications.',
  },
  {
    name: 'Azure AD B2C',
    issuer: /^https:\/\/[^/]+\.b2clogin\.com\/(?!tfp\/)/,
    verdict: 'failed',
    advice:
      'By default, the discovery document of a user flow names an issuer at whose address there is no document, so nobody can sign in.',
  },
  {
    name: 'Okta',
    issuer: /^https:\/\/[^/]+\.(okta|oktapreview|okta-emea)\.com(\/|$)/,
    verdict: 'ok',
    advice:
      'Groups come once a groups claim is added to the application. An authorization server has an issuer of its own, such as https://acme.okta.com/oauth2/default.',
  },
  {
    name: 'Google',
    issuer: /^https:\/\/accounts\.google\.com$/,
    verdict: 'warning',
    advice:
      'Everybody with a Google account can sign in: admit one Workspace by a rule for the claim hd. Google sends no groups.',
  },
  {
    name: 'Auth0',
    issuer: /^https:\/\/[^/]+\.auth0\.com\/?$/,
    verdict: 'ok',
    advice:
      'The issuer ends with a slash. Roles come in a claim of your own, such as https://app.example/roles, which an Action adds.',
  },
  {
    name: 'PingOne',
    issuer: /^https:\/\/auth\.pingone\.[a-z.]+\/[^/]+\/as$/,
    verdict: 'ok',
    advice:
      'Map the attribute groups of the application to Group Names, delivered by the user info, since ID tokens have at most 25 values. Use the method of client authentication that the application has.',
  },
  {
    name: 'OneLogin',
    issuer: /^https:\/\/[^/]+\.onelogin\.com\/oidc\/2$/,
    verdict: 'ok',
    advice:
      'Request the scope groups, and choose multi-value output for the parameter groups. Set client_secret_post if the application uses POST.',
  },
  {
    name: 'JumpCloud',
    issuer: /^https:\/\/oauth\.id\.jumpcloud\.(com|eu)\/$/,
    verdict: 'ok',
    advice:
      'The issuer ends with a slash. Switch on the group attribute. Set client_secret_post if the application uses it.',
  },
  {
    name: 'Amazon Cognito',
    issuer: /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com\/[^/]+$/,
    verdict: 'ok',
    advice:
      'Groups are in the claim cognito:groups. A user pool with open registration admits everybody.',
  },
  {
    name: 'GitLab.com',
    issuer: /^https:\/\/gitlab\.com$/,
    verdict: 'warning',
    advice:
      'Everybody with an account can sign in: admit one group by a rule for the claim groups, whose values are paths. They come in the user info.',
  },
  {
    name: 'LinkedIn',
    issuer: /^https:\/\/www\.linkedin\.com(\/|$)/,
    verdict: 'failed',
    advice: 'LinkedIn leaves the nonce out of its ID tokens, so nobody can sign in.',
  },
  {
    name: 'Apple',
    issuer: /^https:\/\/(appleid|account)\.apple\.com$/,
    verdict: 'failed',
    advice:
      'The client secret is a signed token that expires after six months and is too long to store, and names and addresses come only by a POST to the callback.',
  },
  {
    name: 'Keycloak',
    issuer: /^https?:\/\/[^/]+(\/auth)?\/realms\/[^/]+$/,
    verdict: 'ok',
    advice:
      'Roles are in realm_access.roles once their mapper is added to the ID token or the user info; groups come by a Group Membership mapper, as paths unless "Full group path" is off.',
  },
  {
    name: 'AD FS',
    issuer: /^https:\/\/[^/]+\/adfs$/,
    verdict: 'warning',
    advice:
      'Only sub, upn and unique_name are sure to come. Its documents promise groups and addresses in ID tokens only with response_mode=form_post, which is not used.',
  },
]

export const knownProvider = (issuer: string): KnownProvider | undefined =>
  KNOWN_PROVIDERS.find((known) => known.issuer.test(issuer))
