import { ORGANIZATION_HEADER } from '../transport/handler-options.js'
import type { Handler, HeaderReader, HttpResponse, ResponseHeaders } from '../transport/http.js'
import type { Settings } from './browser/settings.js'
import { type AssetFile, files, PAGES, page } from './gen/assets.js'
import type { ConsoleOptions } from './options.js'

/** Headers of every answer, those of the JSON interface included. */
export const OWN_ORIGIN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const SECURITY = {
  ...OWN_ORIGIN_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const answer = (
  status: number,
  body: HttpResponse['body'],
  headers: ResponseHeaders,
): HttpResponse => ({ status, headers: { ...SECURITY, ...headers }, body })

const text = (status: number, body: string, headers: ResponseHeaders = {}): HttpResponse =>
  answer(status, body, { 'content-type': 'text/plain', 'cache-control': 'no-store', ...headers })

/** Options of pages at one prefix: of the console, or of the guided set-up behind a link. */
export interface MountOptions extends ConsoleOptions {
  readonly isLink?: true
}

/**
 * The page at each of its paths, and the files that it loads. Their names have a hash of their content. An unknown path
 * below the prefix is answered with the page too, which says so and leads back.
 */
export const pageAnswers = (options: MountOptions) => {
  const { basePath = '', messages = {} } = options
  const pages = new Map<string, string>()
  const pageIn = (language: string): string => {
    const made = pages.get(language) ?? pageOf(options, language)
    pages.set(language, made)
    return made
  }
  const last = basePath.split('/').at(-1)
  let hasRedirected = false
  let hasSlash = false
  const isBare = (path: string): boolean => path === basePath && basePath !== ''
  const below = (path: string): string | undefined => {
    if (isBare(path)) return ''
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : undefined
  }
  const bare: Handler = async (request) => {
    // A host such as Next.js takes the slash off again. It never comes here, and a second redirect would be endless.
    const isStripped = hasRedirected && !hasSlash
    hasRedirected = true
    if (isStripped) return shown(200, `./${last}/`)(request)
    // Relative to the request for a link, since a server may have taken a prefix off.
    const location = `${options.isLink ? `./${last}` : basePath}/`
    return answer(308, '', { location, 'cache-control': 'no-store' })
  }
  const shown =
    (status: number, prefix = './'): Handler =>
    async ({ header }) => {
      const [, chosen = ''] = LANGUAGE.exec(header.get('cookie') ?? '') ?? []
      const accepted = `${chosen},${header.get('accept-language') ?? ''}`
      const body = pageIn(languageOf(accepted, Object.keys(messages)))
      return answer(status, prefix === './' ? body : body.replaceAll('"./', `"${prefix}`), {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept-language, cookie',
      })
    }
  return {
    find: (path: string): Handler | undefined => {
      hasSlash ||= path === `${basePath}/`
      const name = below(path)
      if (name === undefined) return undefined
      if (isBare(path)) return bare
      const file = Object.hasOwn(files, name) ? files[name] : undefined
      if (file) return readOnly(({ header }) => fileAnswer(file, header))
      return PAGES.includes(name) ? readOnly(shown(200)) : undefined
    },
    missing: (path: string): Handler =>
      LIKE_A_PAGE.test(below(path) ?? '/')
        ? readOnly(shown(404))
        : async () => text(404, 'Not found'),
  }
}

const readOnly =
  (handler: Handler): Handler =>
  async (request) =>
    request.method === 'GET' || request.method === 'HEAD'
      ? handler(request)
      : text(405, 'Method not allowed', { allow: 'GET, HEAD' })

/** A file, compressed for browsers that read that. */
const fileAnswer = async (
  { type, gzip }: AssetFile,
  header: HeaderReader,
): Promise<HttpResponse> => {
  const isRead = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(header.get('accept-encoding') ?? '')
  const bytes = bytesOf(gzip)
  return answer(200, isRead ? bytes : await unpacked(bytes), {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(isRead && { 'content-encoding': 'gzip' }),
  })
}

const unpacked = (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** The page finds its files by paths beside it, so one that says that it was not found lies beside the others. */
const LIKE_A_PAGE = /^[\w-]+$/

/** The cookie of a language that the reader has chosen on a page. */
const LANGUAGE = /(?:^|;\s*)claviger-language=([\w-]+)/

/** The first language of the reader that there are texts in. */
const languageOf = (accepted: string, offered: readonly string[]): string => {
  const known = [...offered, 'en']
  const wanted = accepted
    .slice(0, 500)
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim().toLowerCase()))
    .map(([tag = '', quality = 'q=1']) => ({ tag, weight: Number(quality.slice(2)) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  for (const { tag } of wanted) {
    const [base] = tag.split('-')
    const found =
      known.find((each) => each.toLowerCase() === tag) ??
      known.find((each) => each.toLowerCase().split('-')[0] === base)
    if (found) return found
  }
  return 'en'
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)(-|$)/

const pageOf = (options: MountOptions, language: string): string => {
  const { logo, accent, loginUrl, signOutUrl, backUrl, areas, users, messages = {} } = options
  const { setUp, basePath = '' } = options
  const { title = messages[language]?.title ?? 'Access' } = options
  const settings: Settings = {
    ...{ title, logo, accent, loginUrl, signOutUrl, backUrl, language, basePath },
    areas: typeof areas === 'function' ? undefined : areas,
    hasUsers: users !== undefined,
    hasOrganizations: options.organizations?.find !== undefined,
    organizationHeader: options.organizationHeader ?? ORGANIZATION_HEADER,
    userIdsAreAddresses: options.userIdsAreAddresses ?? false,
    languages: [...new Set(['en', ...Object.keys(messages)])],
    messages: messages[language],
    hasMenu: !options.isLink && options.menu !== false,
    isLink: options.isLink ?? false,
    hasPreview: options.previewSignIn !== undefined,
    setUpPath: setUp?.path,
  }
  const values: Readonly<Record<string, string>> = {
    language,
    direction: RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr',
    title,
    settings: JSON.stringify(settings),
  }
  const { stylesheet } = options
  const sheet = stylesheet ? `<link rel="stylesheet" href="${escaped(stylesheet)}">\n` : ''
  return page
    .replace('%stylesheet%', () => sheet)
    .replace(/%(language|direction|title|settings)%/g, (_, name) => escaped(values[name] ?? ''))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const escaped = (value: string): string => value.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? '')
