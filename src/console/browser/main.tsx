import '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { actByLink, actFor, actingFor, isSignedOut, outage } from './api.js'
import { Button } from './button.js'
import { keepFocus } from './dialog.js'
import { OrganizationName } from './names.js'
import { isOn, Navigation, type Page } from './navigation.js'
import { Skeleton } from './notice.js'
import { objectTypes } from './object-types.js'
import type { PageName } from './page-names.js'
import { Overview, Timeline } from './pages/changes.js'
import { Domains, Grants, Mappings, Projects, Providers } from './pages/lists.js'
import { Matrix } from './pages/matrix.js'
import {
  Domain,
  Mapping,
  Membership,
  Project,
  ProjectGrant,
  Provider,
  Role,
  SetupLink,
  UserGrant,
} from './pages/objects.js'
import { People } from './pages/people.js'
import { Plan } from './pages/plan.js'
import { Review } from './pages/review.js'
import { SetUp } from './pages/set-up.js'
import { SetupLinks } from './pages/set-up-links.js'
import { User } from './pages/user.js'
import { paint } from './paint.js'
import { readPermissions, usePermission } from './permissions.js'
import { followLinks, href, objectTitle, pageName, parameter } from './router.js'
import { settings } from './settings.js'
import { StatusLine } from './status.js'
import { Say, texts } from './texts.js'

const PAGES: Readonly<Record<PageName, Page>> = {
  '': { Content: Overview, title: texts.overview },
  users: { Content: People, title: texts.users, permission: 'user.grant.read' },
  user: { Content: User, title: texts.user, within: 'users' },
  'user-grant': { Content: UserGrant, title: texts.userGrant, within: 'grants' },
  grants: { Content: Grants, title: texts.userGrants, permission: 'user.grant.read' },
  matrix: { Content: Matrix, title: texts.matrix, permission: 'user.grant.read' },
  review: { Content: Review, title: texts.review, permission: 'user.grant.read' },
  projects: { Content: Projects, title: texts.projects, permission: 'project.read' },
  project: { Content: Project, title: texts.project, within: 'projects' },
  role: { Content: Role, title: texts.role, within: 'projects' },
  'project-grant': { Content: ProjectGrant, title: texts.projectGrant, within: 'projects' },
  providers: { Content: Providers, title: texts.providers, permission: 'identity_provider.read' },
  provider: { Content: Provider, title: texts.provider, within: 'providers' },
  mappings: { Content: Mappings, title: texts.mappings, permission: 'role_mapping.read' },
  mapping: { Content: Mapping, title: texts.mapping, within: 'mappings' },
  membership: { Content: Membership, title: texts.membership, within: 'users' },
  domains: { Content: Domains, title: texts.domains, permission: 'domain.read' },
  domain: { Content: Domain, title: texts.domain, within: 'domains' },
  'set-up': { Content: SetUp, title: texts.setUp.title, permission: 'identity_provider.write' },
  'setup-links': { Content: SetupLinks, title: texts.setupLinks, permission: 'setup_link.read' },
  'setup-link': { Content: SetupLink, title: texts.setupLink, within: 'setup-links' },
  timeline: { Content: Timeline, title: texts.timeline, permission: 'event.read' },
  plan: { Content: Plan, title: texts.plan, permission: '.write' },
}

const NOT_FOUND: Page = {
  Content: () => (
    <article>
      <h1>{texts.notFoundTitle}</h1>
      <p>{texts.notFoundPage}</p>
      <p>
        <a href={href('')}>{texts.toOverview}</a>
      </p>
    </article>
  ),
  title: texts.notFoundTitle,
}

const App = () => {
  const name = pageName.value
  const chosen = name === undefined || !isOn(name) ? NOT_FOUND : PAGES[name]
  const page = settings.isLink ? PAGES['set-up'] : chosen
  const ids = name === 'user' ? ['userId'] : objectTypes.find((type) => type.page === name)?.ids
  useEffect(() => {
    const app = settings.title || texts.title
    document.title = [objectTitle.value, page.title, app].filter(Boolean).join(' · ')
  }, [page, objectTitle.value])
  if (isSignedOut.value) return <SignedOut />
  return (
    <div class={settings.hasMenu ? 'app' : undefined}>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      {settings.hasMenu && <Navigation pages={PAGES} current={name} />}
      {outage.value && (
        <p class="outage" role="alert">
          {texts[outage.value]}
        </p>
      )}
      <Acting />
      <StatusLine />
      <main id="main" tabIndex={-1}>
        <Opened key={[name, ...(ids ?? []).map(parameter)].join('\n')} Content={page.Content} />
      </main>
    </div>
  )
}

/** Says that another organization is worked in, and leads back. */
const Acting = () => {
  // Its name comes with the permissions.
  usePermission('')
  const id = actingFor()
  if (!id) return null
  return (
    <p class="acting" role="status">
      <Say text={texts.actsFor} organization={<OrganizationName id={id} />} />{' '}
      <Button text={texts.actsForOwn} onClick={() => actFor('')} />
    </p>
  )
}

/** A page, shown once the caller's permissions are known, so that refused data is not requested. */
const Opened = ({ Content }: Pick<Page, 'Content'>) =>
  usePermission('') === undefined ? <Skeleton of="rows" /> : <Content />

/** The address of this page, for a query. */
const here = (): string => encodeURIComponent(location.pathname + location.search)

/** Shown instead of all pages after the session has ended. */
const SignedOut = () => (
  <main id="main">
    <h1>{settings.title || texts.title}</h1>
    <div class="notice" role="alert">
      <p>{settings.isLink ? texts.setUp.over : texts.signedOut}</p>
      {settings.loginUrl && (
        <p>
          <a href={settings.loginUrl.replace('{returnTo}', here())} rel="external">
            {texts.signIn}
          </a>
        </p>
      )}
    </div>
  </main>
)

if (settings.accent) paint(settings.accent)
/** Takes the token out of the address, so that neither `back` nor a bookmark has it. */
const openLink = (): void => {
  actByLink(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
}

if (settings.isLink) {
  openLink()
  // A link that is opened in a window of another changes the address alone.
  window.addEventListener('hashchange', () => {
    openLink()
    location.reload()
  })
}
followLinks()
keepFocus()
void readPermissions()
render(<App />, document.getElementById('root') ?? document.body)
