import type { ResultAsync } from 'neverthrow'
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  type OptionChecks,
  withMethods,
} from '../check-options.js'
import type { ScimTokens } from '../scim/index.js'
import { HANDLER_OPTIONS, text } from '../transport/handler-options.js'
import type { TransportOptions } from '../transport/index.js'
import type { Messages } from './browser/english.js'
import { AREAS, type AreaName } from './browser/page-names.js'
import type { DirectoryContext, OrganizationDirectory, UserDirectory } from './directory.js'

/** Options of the guided set-up for holders of a set-up link. */
export interface SetUpOptions {
  /**
   * Path of the pages, outside `basePath`, such as `/set-up`: the link to send is
   * `https://app.example/set-up/#<token>`. These pages need no sign-in.
   */
  readonly path: string
}

/** A provider of an organization. */
export interface ProviderIds {
  /** The organization that owns it. */
  readonly orgId: string
  /** The id of the provider. */
  readonly idpId: string
}

/** Where directories push users and groups, and the tokens with which they do. */
export interface ScimAccess {
  /** The URL that admins enter at their directory: where `scimHandler` is mounted, with its `basePath`. */
  readonly url: string | ((provider: ProviderIds) => string)
  /** What `scimTokens` of `claviger/scim` returns. */
  readonly tokens: Pick<ScimTokens, 'list' | 'issue' | 'revoke'>
}

/** Options of `consoleHandler`. */
export interface ConsoleOptions {
  /**
   * Returns the caller, from the headers of the request, such as a session cookie. The same function as for the
   * transport.
   */
  readonly authenticate: TransportOptions['authenticate']
  /** Called with the cause of every response 500 and 503. Default: writes to the console of the process. */
  readonly onError?: TransportOptions['onError']
  /** Header that selects the organization, for hosts whose clients send one. Default: `x-service-orgid`. */
  readonly organizationHeader?: string | undefined
  /** `WWW-Authenticate` of responses with status 401. Default: `Bearer`. */
  readonly challenge?: string | undefined
  /**
   * Tests a provider: `test` of `openIdSignIn` in `claviger/oidc`. Without it, the page says that testing is not set
   * up.
   */
  readonly testIdentityProvider?: TransportOptions['testIdentityProvider']
  /**
   * Prefix of the paths that the handler gets, such as `/admin` for `/admin/projects`. Default: none. Leave it out if
   * the server strips the prefix first.
   */
  readonly basePath?: string | undefined
  /** Describes and finds the users of your application. Without it, the pages show and accept user ids, and say so. */
  readonly users?: UserDirectory | undefined
  /** Names and finds the organizations of your application. Without it, the pages show and take their ids. */
  readonly organizations?: OrganizationDirectory | undefined
  /**
   * Whether the ids of your users are e-mail addresses. Otherwise forms refuse an id that looks like an address,
   * because ids stay in the log.
   */
  readonly userIdsAreAddresses?: boolean | undefined
  /** Name of the console, at the top of its pages and in the window's title. Default: `Access`. */
  readonly title?: string | undefined
  /** Picture next to the title: a path of the same origin such as `/logo.svg`, or a `data:` URL of an image. */
  readonly logo?: string | undefined
  /** Colour of buttons and of the current page, as `#rrggbb`. The text on it is black or white. */
  readonly accent?: string | undefined
  /**
   * Path of your style sheet on the same origin, such as `/console.css`. The pages load it after their own. It sets the
   * variables that the console guide lists, such as `--font` and `--radius`.
   */
  readonly stylesheet?: string | undefined
  /** Texts by language, with BCP 47 tags such as `de`. The browser's languages decide; English is built in. */
  readonly messages?: Readonly<Record<string, Messages>> | undefined
  /**
   * Whether the pages have their own menu, title and logo. `false`: your application links to the pages itself, with
   * `consolePath`. Default: `true`.
   */
  readonly menu?: boolean | undefined
  /**
   * Where users sign in again: a path, or an `https:` URL. `{returnTo}` in it becomes the path of the page to come back
   * to, encoded for a query: `/login?returnTo={returnTo}`.
   */
  readonly loginUrl?: string | undefined
  /** Where users sign out: a path, or an `https:` URL. */
  readonly signOutUrl?: string | undefined
  /** Link back to your application: a path, or an `https:` URL. */
  readonly backUrl?: string | undefined
  /**
   * The parts of the console to show, or a function that returns the parts for a caller. Default: all except `plan`. Hiding
   * pages does not remove permissions.
   */
  readonly areas?:
    | readonly AreaName[]
    | ((context: DirectoryContext) => readonly AreaName[] | Promise<readonly AreaName[]>)
    | undefined
  /**
   * The redirect URI that admins register at a provider, shown with a copy button: `redirectUri` of `openIdSignIn`.
   * Without it, the pages say that it is missing.
   */
  readonly redirectUri?: string | ((provider: ProviderIds) => string) | undefined
  /**
   * The page of your application whose form begins a sign-in with a provider: a path, or an `https:` URL. The guided
   * set-up opens it in another window, so that an admin can try the sign-in before others. Without it, that step is left
   * out.
   */
  readonly signInUrl?: ((provider: ProviderIds) => string) | undefined
  /**
   * Begins the preview of a sign-in: `begin` of `openIdSignIn` in `claviger/oidc`, whose callbacks `signInHandler` serves
   * at the same origin. After a passed test, the pages then offer a sign-in that shows the claims that came, the groups
   * that were found and the role mappings that match, and records nothing.
   */
  readonly previewSignIn?:
    | ((
        input: ProviderIds & {
          /** The callback shows what the provider sent, and signs nobody in. */
          readonly preview: true
        },
      ) => ResultAsync<
        {
          /** The page opens this URL of the provider in a new window. */
          readonly url: string
          /** A `Set-Cookie` header, which binds the preview to this browser. */
          readonly cookie: string
        },
        {
          /** Says why the preview cannot begin, such as `ProviderUnreachable`. */
          readonly kind: string
        }
      >)
    | undefined
  /**
   * Shows, on the page of a provider and in the guided set-up, the URL for SCIM, tokens, when they were last used, and
   * requests that were refused. Without it, the pages say nothing about SCIM.
   */
  readonly scim?: ScimAccess | undefined
  /** Serves the guided set-up for links of `iam.setupLinks`. Default: not served. */
  readonly setUp?: SetUpOptions | undefined
}

/** One slash: two would name another host. */
const PATH = /^\/(?![/\\])[^\s\\]*$/
const LINK = text(
  new RegExp(`${PATH.source}|^https?://[^\\s]+$`),
  'must be a path such as /login, or a URL with https:',
)
const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const isUrl = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'string' && URL.canParse(value))

/** Options of the console only. */
const PAGE_OPTIONS: OptionChecks = {
  users: withMethods(['describe', 'find'], 'must have the functions describe and find'),
  organizations: withMethods(['describe'], 'must have the function describe'),
  userIdsAreAddresses: BOOLEAN,
  title: text(/^\S.{0,99}$/u, 'must be a text of 1 to 100 characters'),
  logo: text(
    new RegExp(`${PATH.source}|^data:image/[\\w.+-]+[;,]`),
    'must be a path of the same origin such as /logo.svg, or a data: URL of an image',
  ),
  accent: text(/^#[\da-f]{6}$/i, 'must be a colour such as #2456c8'),
  messages: [
    (value) => Object.keys(Object(value)).every(isTag),
    'must have texts by language, such as { de: { save: "Sichern" } }',
  ],
  stylesheet: text(PATH, 'must be a path of the same origin such as /console.css'),
  menu: BOOLEAN,
  loginUrl: LINK,
  signOutUrl: LINK,
  backUrl: LINK,
  redirectUri: [isUrl, 'must be an absolute URL, or a function that returns one'],
  scim: [
    (value) => {
      const { url, tokens } = Object(value)
      return isUrl(url) && ['list', 'issue', 'revoke'].every((name) => FUNCTION[0](tokens?.[name]))
    },
    'must be { url, tokens } with an absolute URL, or a function that returns one, and the tokens of scimTokens',
  ],
  signInUrl: FUNCTION,
  previewSignIn: FUNCTION,
  setUp: [
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).join() === 'path' &&
      /^(\/[\w.~-]+)+$/.test(String(Reflect.get(value, 'path'))),
    'must be { path } with a path such as /set-up',
  ],
  areas: [
    (value) =>
      typeof value === 'function' ||
      (Array.isArray(value) && value.every((area) => Object.hasOwn(AREAS, String(area)))),
    `must be a list of ${Object.keys(AREAS).join(', ')}, or a function that returns one`,
  ],
}

/** @throws TypeError for an option that is missing, unknown or malformed */
export const checkConsoleOptions = (options: ConsoleOptions): void => {
  checkOptions('consoleHandler', options, {
    required: { authenticate: FUNCTION },
    optional: { ...HANDLER_OPTIONS, testIdentityProvider: FUNCTION, ...PAGE_OPTIONS },
  })
}
