import { PAGES, type PageName } from './browser/page-names.js'

/**
 * Returns the path of a page of the console, for links from your application. Objects are named by their ids in
 * `parameters`; empty and absent ones are left out.
 *
 * @param basePath - where the console is mounted, such as `/admin`; empty at the root
 * @param page - the page; empty for the overview
 * @throws TypeError for an unknown page
 * @example
 * consolePath('/admin', 'user', { userId: 'ann' }) // '/admin/user?userId=ann'
 * @example
 * consolePath('/admin', 'timeline', { projectId: 'portal', from: '2026-10-01T18:00:00Z' })
 */
export const consolePath = (
  basePath: string,
  page: PageName,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string => {
  if (!PAGES.includes(page)) throw new TypeError(`Unknown page of the console: ${page}`)
  const present = Object.entries(parameters).filter(
    (entry): entry is [string, string] => !!entry[1],
  )
  const query = new URLSearchParams(present).toString()
  return `${basePath}/${page}${query && `?${query}`}`
}
