/** The parts of the console that a host can switch off, with the paths of their pages, in the order of the menu. */
export const AREAS = {
  users: ['users', 'matrix', 'grants', 'user', 'user-grant'],
  review: ['review'],
  projects: ['projects', 'project', 'role', 'project-grant'],
  signIn: [
    'providers',
    'provider',
    'mappings',
    'mapping',
    'membership',
    'domains',
    'domain',
    'set-up',
    'setup-links',
    'setup-link',
  ],
  timeline: ['timeline'],
  plan: ['plan'],
} as const satisfies Readonly<Record<AreaName, readonly PageName[]>>

/** A part of the console, which a host may leave out. */
export type AreaName = 'projects' | 'users' | 'review' | 'signIn' | 'timeline' | 'plan'

/** A path of a page below the prefix. Objects are named in the query, since any text may be a key. */
export type PageName =
  | ''
  | 'users'
  | 'matrix'
  | 'grants'
  | 'user'
  | 'user-grant'
  | 'review'
  | 'projects'
  | 'project'
  | 'role'
  | 'project-grant'
  | 'providers'
  | 'provider'
  | 'mappings'
  | 'mapping'
  | 'membership'
  | 'domains'
  | 'domain'
  | 'set-up'
  | 'setup-links'
  | 'setup-link'
  | 'timeline'
  | 'plan'

/** The overview, which is always there, and the pages of all areas. */
export const PAGES: readonly PageName[] = ['', ...Object.values(AREAS).flat()]
