import type { Settings } from './browser/settings.js'
import { files, PAGES, page } from './gen/assets.js'
import type { ConsoleOptions } from './options.js'

/** An answer that is in memory as a whole. */
export interface StaticAnswer {
  readonly status: number
  readonly header: Readonly<Record<string, string>>
  readonly body: string
}

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
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const answer = (status: number, body: string, header: StaticAnswer['header']): StaticAnswer => ({
  status,
  header: { ...SECURITY, ...header },
  body,
})

const text = (status: number, body: string, header: StaticAnswer['header'] = {}): StaticAnswer =>
  answer(status, body, { 'content-type': 'text/plain', 'cache-control': 'no-store', ...header })

/** Options of pages at one prefix: of the console, or of the guided set-up behind a link. */
export interface MountOptions extends ConsoleOptions {
  readonly isLink?: true
}

/** A request for a page or for a file that it loads. */
export interface PageRequest {
  readonly method: string
  readonly path: string
  /** The header `Accept-Language`. */
  readonly languages: string
}

/**
 * Answers the page at each of its paths, and the files that it loads. Their names have a hash of their content. An
 * unknown path below the prefix is answered with the page too, which says so and leads back.
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
  return ({ method, path, languages }: PageRequest): StaticAnswer => {
    const isBare = path === basePath && basePath !== ''
    // A host such as Next.js takes the slash off again. It never comes here, and a second redirect would be endless.
    const isStripped = isBare && hasRedirected && !hasSlash
    hasRedirected ||= isBare
    hasSlash ||= path === `${basePath}/`
    // Relative to the request for a link, since a server may have taken a prefix off.
    const location = `${options.isLink ? `./${last}` : basePath}/`
    if (isBare && !isStripped) return answer(308, '', { location, 'cache-control': 'no-store' })
    const inside = path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : undefined
    const below = isBare ? '' : inside
    const file = below !== undefined && Object.hasOwn(files, below) ? files[below] : undefined
    const isPage = below !== undefined && PAGES.includes(below)
    if (!file && !isPage && !(below !== undefined && LIKE_A_PAGE.test(below)))
      return text(404, 'Not found')
    if (method !== 'GET' && method !== 'HEAD')
      return text(405, 'Method not allowed', { allow: 'GET, HEAD' })
    if (file)
      return answer(200, file.text, {
        'content-type': file.type,
        'cache-control': 'public, max-age=31536000, immutable',
      })
    const body = pageIn(languageOf(languages, Object.keys(messages)))
    return answer(isPage ? 200 : 404, isBare ? body.replaceAll('"./', `"./${last}/`) : body, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-language',
    })
  }
}

/** The page finds its files by paths beside it, so one that says that it was not found lies beside the others. */
const LIKE_A_PAGE = /^[\w-]+$/

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
    title,
    logo,
    accent,
    loginUrl,
    signOutUrl,
    backUrl,
    areas,
    hasUsers: users !== undefined,
    userIdsAreAddresses: options.userIdsAreAddresses ?? false,
    language,
    messages: messages[language],
    isLink: options.isLink ?? false,
    setUpPath: setUp?.path,
    basePath,
  }
  const values: Readonly<Record<string, string>> = {
    language,
    direction: RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr',
    title,
    settings: JSON.stringify(settings),
  }
  return page.replace(/%(language|direction|title|settings)%/g, (_, name) =>
    escaped(values[name] ?? ''),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const escaped = (value: string): string => value.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? '')
