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
  'set-up',
  'setup-links',
  'setup-link',
  'mappings',
  'mapping',
  'membership',
  'timeline',
  'matrix',
  'review',
  'plan',
] as const

export type PageName = (typeof PAGES)[number]

/** The parts of the console that a host can switch off, with their pages. */
export const AREAS = {
  projects: ['projects', 'project', 'role', 'project-grant'],
  users: ['users', 'user', 'user-grant', 'matrix'],
  review: ['review'],
  signIn: [
    'providers',
    'provider',
    'domains',
    'domain',
    'set-up',
    'setup-links',
    'setup-link',
    'mappings',
    'mapping',
    'membership',
  ],
  timeline: ['timeline'],
  plan: ['plan'],
} as const satisfies Readonly<Record<AreaName, readonly PageName[]>>

/** A part of the console, which a host may leave out. */
export type AreaName = 'projects' | 'users' | 'review' | 'signIn' | 'timeline' | 'plan'
