import '@preact/signals'
import { type ComponentType, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { accessService } from '../../transport/wire.js'
import { outage, pathOf } from './api.js'
import { objectTypes, type PageName } from './object-types.js'
import { Matrix, Review } from './pages/access.js'
import { Overview, Timeline } from './pages/changes.js'
import { Domains, Projects, Providers, SetupLinks, Users } from './pages/lists.js'
import {
  Domain,
  Project,
  ProjectGrant,
  Provider,
  Role,
  SetupLink,
  User,
  UserGrant,
} from './pages/objects.js'
import { Plan } from './pages/plan.js'
import { Permissions, useQuery } from './query.js'
import { followLinks, href, pageName, parameter } from './router.js'
import { texts } from './texts.js'

interface Page {
  readonly Content: ComponentType
  readonly title: string
}

const PAGES: Readonly<Record<PageName, Page>> = {
  '': { Content: Overview, title: texts.overview },
  providers: { Content: Providers, title: texts.providers },
  provider: { Content: Provider, title: texts.provider },
  projects: { Content: Projects, title: texts.projects },
  project: { Content: Project, title: texts.project },
  role: { Content: Role, title: texts.role },
  'project-grant': { Content: ProjectGrant, title: texts.projectGrant },
  users: { Content: Users, title: texts.users },
  user: { Content: User, title: texts.user },
  'user-grant': { Content: UserGrant, title: texts.userGrant },
  domains: { Content: Domains, title: texts.domains },
  domain: { Content: Domain, title: texts.domain },
  'setup-links': { Content: SetupLinks, title: texts.setupLinks },
  'setup-link': { Content: SetupLink, title: texts.setupLink },
  timeline: { Content: Timeline, title: texts.timeline },
  matrix: { Content: Matrix, title: texts.matrix },
  review: { Content: Review, title: texts.review },
  plan: { Content: Plan, title: texts.plan },
}

const NOT_FOUND: Page = {
  Content: () => <p class="empty">{texts.notFoundPage}</p>,
  title: texts.title,
}

const MENU: readonly PageName[] = [
  '',
  'projects',
  'users',
  'providers',
  'domains',
  'setup-links',
  'timeline',
  'matrix',
  'review',
  'plan',
]

const App = () => {
  const name = pageName.value
  const page = name === undefined ? NOT_FOUND : PAGES[name]
  const ids = name === 'user' ? ['userId'] : objectTypes.find((type) => type.page === name)?.ids
  useEffect(() => {
    document.title = `${page.title} · ${texts.title}`
  }, [page])
  return (
    <div class="app">
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header class="top">
        <a class="brand" href={href('')}>
          {texts.title}
        </a>
        <nav aria-label={texts.menu}>
          {MENU.map((each) => (
            <a key={each} href={href(each)} aria-current={each === name ? 'page' : undefined}>
              {PAGES[each].title}
            </a>
          ))}
        </nav>
      </header>
      {outage.value && (
        <p class="outage" role="alert">
          {texts[outage.value]}
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Opened key={[name, ...(ids ?? []).map(parameter)].join('\n')} Content={page.Content} />
      </main>
    </div>
  )
}

/** A page, with the permissions of the caller when it was opened. */
const Opened = ({ Content }: Pick<Page, 'Content'>) => (
  <Permissions.Provider value={useQuery(pathOf(accessService.listPermissions))}>
    <Content />
  </Permissions.Provider>
)

followLinks()
render(<App />, document.getElementById('root') ?? document.body)
