import { BOOLEAN, checkOptions, FUNCTION, type OptionCheck, withMethods } from '../check-options.js'
import type { TransportOptions } from '../transport/json/index.js'
import type { Messages } from './browser/english.js'
import { AREAS, type AreaName } from './browser/page-names.js'
import type { UserDirectory } from './directory.js'

/** Where the guided pages for the holder of a set-up link are. */
export interface SetUpOptions {
  /**
   * Path of the pages, beside `basePath`, such as `/set-up`: `https://app.example/set-up/#<token>` is the link that you
   * send. Nobody is asked to sign in there.
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

/** Options of `consoleHandler`. */
export interface ConsoleOptions {
  /** Tells who calls, by the headers of the request, such as the cookie of a session. The same as for the transport. */
  readonly authenticate: TransportOptions['authenticate']
  /** Called with the cause of every answer 500 and 503; without it they are written to the console of the process. */
  readonly onError?: TransportOptions['onError']
  /** Header that selects the organization, for hosts whose clients send one; `x-service-orgid` when absent. */
  readonly organizationHeader?: string | undefined
  /** `WWW-Authenticate` of the answers with status 401; `Bearer` when absent. */
  readonly challenge?: string | undefined
  /** Tests a provider: `test` of `openIdSignIn` in `claviger/oidc`. When absent, the page says that it is not set up. */
  readonly testIdentityProvider?: TransportOptions['testIdentityProvider']
  /**
   * Prefix of the paths that the handler is called with, such as `/admin` for `/admin/projects`; none when absent or
   * empty. Not for a server that takes the prefix off before.
   */
  readonly basePath?: string | undefined
  /** Names and finds the users of your application. When absent, the pages show and take user ids, and say so. */
  readonly users?: UserDirectory | undefined
  /**
   * Whether the ids of your users are e-mail addresses. Otherwise a form refuses an id that looks like one, since what
   * is recorded stays.
   */
  readonly userIdsAreAddresses?: boolean | undefined
  /** Name of the console, at the top of its pages and in the title of the window; `Access` when absent. */
  readonly title?: string | undefined
  /** Picture beside the title: a path of the same origin such as `/logo.svg`, or a `data:` URL of an image. */
  readonly logo?: string | undefined
  /** Colour of buttons and of the chosen page, as `#rrggbb`. The text on it is black or white. */
  readonly accent?: string | undefined
  /** Texts by language, as tags of BCP 47 such as `de`. The browser's languages choose; English is built in. */
  readonly messages?: Readonly<Record<string, Messages>> | undefined
  /** Where a user signs in again: a path, or a URL with `https:`. */
  readonly loginUrl?: string | undefined
  /** Where a user signs out: a path, or a URL with `https:`. */
  readonly signOutUrl?: string | undefined
  /** Leads back to your application: a path, or a URL with `https:`. */
  readonly backUrl?: string | undefined
  /**
   * The parts of the console that are shown; all when absent. Switching one off hides pages, and takes no permission
   * away.
   */
  readonly areas?: readonly AreaName[] | undefined
  /**
   * What an admin registers at a provider as redirect URI, shown with a copy button: `redirectUri` of `openIdSignIn`.
   * When absent, the pages say that it is missing.
   */
  readonly redirectUri?: string | ((provider: ProviderIds) => string) | undefined
  /**
   * Where your application begins a sign-in with a provider: a path, or a URL with `https:`. The guided set-up opens it
   * in another window, so that an admin signs in before others do. When absent, that step is left out.
   */
  readonly signInUrl?: ((provider: ProviderIds) => string) | undefined
  /** Serves the guided set-up behind links of `iam.setupLinks`; nothing when absent. */
  readonly setUp?: SetUpOptions | undefined
}

const matching = (form: RegExp, description: string): OptionCheck => [
  (value) => typeof value === 'string' && form.test(value),
  description,
]
/** One slash: two would name another host. */
const PATH = /^\/(?![/\\])[^\s\\]*$/
const LINK = matching(
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

/** Those of the console alone. The JSON interface checks its own. */
const PAGE_OPTIONS: Readonly<Record<string, OptionCheck>> = {
  users: withMethods(['describe', 'find'], 'must have the functions describe and find'),
  userIdsAreAddresses: BOOLEAN,
  title: matching(/^\S.{0,99}$/u, 'must be a text of 1 to 100 characters'),
  logo: matching(
    new RegExp(`${PATH.source}|^data:image/[\\w.+-]+[;,]`),
    'must be a path of the same origin such as /logo.svg, or a data: URL of an image',
  ),
  accent: matching(/^#[\da-f]{6}$/i, 'must be a colour such as #2456c8'),
  messages: [
    (value) => Object.keys(Object(value)).every(isTag),
    'must have texts by language, such as { de: { save: "Sichern" } }',
  ],
  loginUrl: LINK,
  signOutUrl: LINK,
  backUrl: LINK,
  redirectUri: [
    (value) => typeof value === 'function' || (typeof value === 'string' && URL.canParse(value)),
    'must be an absolute URL, or a function that answers one',
  ],
  signInUrl: FUNCTION,
  setUp: [
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).join() === 'path' &&
      /^(\/[\w.~-]+)+$/.test(String(Reflect.get(value, 'path'))),
    'must be { path } with a path such as /set-up',
  ],
  areas: [
    (value) => Array.isArray(value) && value.every((area) => Object.hasOwn(AREAS, String(area))),
    `must be a list of ${Object.keys(AREAS).join(', ')}`,
  ],
}

const API_OPTIONS = [
  'onError',
  'organizationHeader',
  'challenge',
  'testIdentityProvider',
  'basePath',
] as const

/** @throws TypeError for an option that is missing, unknown or malformed */
export const checkConsoleOptions = (options: ConsoleOptions): void => {
  const api = API_OPTIONS.map((name) => [name, [() => true, '']] as const)
  checkOptions('consoleHandler', options, {
    required: { authenticate: FUNCTION },
    optional: { ...Object.fromEntries<OptionCheck>(api), ...PAGE_OPTIONS },
  })
}
