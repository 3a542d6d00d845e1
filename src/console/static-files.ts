import { files, PAGES, page } from './gen/assets.js'

/** An answer that is in memory as a whole. */
export interface StaticAnswer {
  readonly status: number
  readonly header: Readonly<Record<string, string>>
  readonly body: string
}

const SECURITY = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const answer = (status: number, body: string, header: StaticAnswer['header']): StaticAnswer => ({
  status,
  header: { ...SECURITY, ...header },
  body,
})

/** The page at each of its paths, and what it loads. The names of files have a hash of their content. */
export const pageAnswer = (method: string, path: string, basePath: string): StaticAnswer => {
  if (path === basePath && basePath !== '') return answer(308, '', { location: `${basePath}/` })
  const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : undefined
  const file = below !== undefined && Object.hasOwn(files, below) ? files[below] : undefined
  const isPage = below !== undefined && PAGES.includes(below)
  if (!file && !isPage)
    return answer(404, 'Not found', { 'content-type': 'text/plain', 'cache-control': 'no-store' })
  if (method !== 'GET' && method !== 'HEAD')
    return answer(405, 'Method not allowed', { 'content-type': 'text/plain', allow: 'GET, HEAD' })
  if (file)
    return answer(200, file.text, {
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  return answer(200, page, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
}
