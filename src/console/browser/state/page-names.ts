/** Paths of the pages below the prefix. Objects are named in the query, since any text may be a key. */
export const PAGES = [
  '',
  'providers',
  'provider',
  'projects',
  'project',
  'role',
  'project-grant',
  'users',
  'user',
  'user-grant',
  'domains',
  'domain',
  'timeline',
  'matrix',
  'review',
  'plan',
] as const

export type PageName = (typeof PAGES)[number]
