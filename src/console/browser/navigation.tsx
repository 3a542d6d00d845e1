import { AREAS, type AreaName, type PageName } from './page-names.js'
import { useAnyPermission, usePermission } from './permissions.js'
import { href } from './router.js'
import { settings } from './settings.js'
import { texts } from './texts.js'

interface Entry {
  readonly page: PageName
  readonly title: string
  /** Needed to see the page; for one that changes things, any that changes something. */
  readonly permission?: string
}

const MENU: readonly Entry[] = [
  { page: '', title: texts.overview },
  { page: 'users', title: texts.users, permission: 'user.grant.read' },
  { page: 'matrix', title: texts.matrix, permission: 'user.grant.read' },
  { page: 'review', title: texts.review, permission: 'user.grant.read' },
  { page: 'projects', title: texts.projects, permission: 'project.read' },
  { page: 'providers', title: texts.providers, permission: 'identity_provider.read' },
  { page: 'mappings', title: texts.mappings, permission: 'role_mapping.read' },
  { page: 'domains', title: texts.domains, permission: 'domain.read' },
  { page: 'set-up', title: texts.setUp.title, permission: 'identity_provider.write' },
  { page: 'setup-links', title: texts.setupLinks, permission: 'setup_link.read' },
  { page: 'timeline', title: texts.timeline, permission: 'event.read' },
  { page: 'plan', title: texts.plan, permission: '.write' },
]

/** Whether the host has left a page switched on. */
export const isOn = (page: PageName): boolean => {
  const areas = Object.keys(AREAS) as AreaName[]
  const area = areas.find((name) => (AREAS[name] as readonly PageName[]).includes(page))
  return area === undefined || (settings.areas?.includes(area) ?? true)
}

/** The pages that the caller may see and that the host has not switched off. */
export const Navigation = ({ current }: { readonly current: PageName | undefined }) => {
  const { logo, title, backUrl, signOutUrl } = settings
  return (
    <header class="top">
      <a class="brand" href={href('')}>
        {logo && <img src={logo} alt="" height="24" />}
        <span>{title || texts.title}</span>
      </a>
      <nav aria-label={texts.menu}>
        {MENU.filter(({ page }) => isOn(page)).map((entry) => (
          <Item key={entry.page} {...entry} current={current} />
        ))}
      </nav>
      {(backUrl || signOutUrl) && (
        <p class="leave">
          {backUrl && <a href={backUrl}>{texts.backToApp}</a>}{' '}
          {signOutUrl && <a href={signOutUrl}>{texts.signOut}</a>}
        </p>
      )}
    </header>
  )
}

/** The pages of objects belong to the entry of their list. */
const isWithin = (page: PageName, current: PageName | undefined): boolean => {
  if (page === current) return true
  const list = {
    'project-grant': 'projects',
    role: 'projects',
    'user-grant': 'users',
    membership: 'users',
  } as const
  return (
    current !== undefined &&
    page !== '' &&
    (list[current as keyof typeof list] ?? `${current}s`) === page
  )
}

const Item = ({
  page,
  title,
  permission = '',
  current,
}: Entry & { readonly current: PageName | undefined }) => {
  const isAllowed = usePermission(permission)
  const isAny = useAnyPermission(permission)
  if (permission && !(permission.startsWith('.') ? isAny : isAllowed)) return null
  const state = page === current ? 'page' : isWithin(page, current) ? 'true' : undefined
  return (
    <a href={href(page)} aria-current={state}>
      {title}
    </a>
  )
}
