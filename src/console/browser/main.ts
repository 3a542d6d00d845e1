import '@preact/signals'
import { type ComponentType, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Domains, Projects, Providers, Users } from './pages/lists.js'
import { Matrix } from './pages/matrix.js'
import { Domain, ProjectGrant, Provider, Role, UserGrant } from './pages/objects.js'
import { Overview } from './pages/overview.js'
import { Plan } from './pages/plan.js'
import { Project } from './pages/project.js'
import { Review } from './pages/review.js'
import { Timeline } from './pages/timeline.js'
import { User } from './pages/user.js'
import { html } from './parts/html.js'
import { outage } from './state/api.js'
import type { PageName } from './state/page-names.js'
import { followLinks, href, pageName, parameter } from './state/router.js'
import { texts } from './texts.js'

const PAGES: Readonly<Record<PageName, readonly [page: ComponentType, title: string]>> = {
  '': [Overview, texts.overview],
  providers: [Providers, texts.providers],
  provider: [Provider, texts.provider],
  projects: [Projects, texts.projects],
  project: [Project, texts.project],
  role: [Role, texts.role],
  'project-grant': [ProjectGrant, texts.projectGrant],
  users: [Users, texts.users],
  user: [User, texts.user],
  'user-grant': [UserGrant, texts.userGrant],
  domains: [Domains, texts.domains],
  domain: [Domain, texts.domain],
  timeline: [Timeline, texts.timeline],
  matrix: [Matrix, texts.matrix],
  review: [Review, texts.review],
  plan: [Plan, texts.plan],
}

const MENU: readonly PageName[] = [
  '',
  'projects',
  'users',
  'providers',
  'domains',
  'timeline',
  'matrix',
  'review',
  'plan',
]

const App = () => {
  const name = pageName.value as PageName
  const [Page, title] = PAGES[name] ?? [
    () => html`<p class="empty">${texts.notFoundPage}</p>`,
    texts.title,
  ]
  const subject = ['id', 'idpId', 'projectId', 'roleKey', 'grantedOrgId', 'userId', 'domain']
    .map(parameter)
    .join('\n')
  useEffect(() => {
    document.title = `${title} · ${texts.title}`
  }, [title])
  return html`<div class="app"><a class="skip" href="#main">${texts.skip}</a>
    <header class="top"><a class="brand" href=${href('')}>${texts.title}</a>
      <nav aria-label=${texts.menu}>${MENU.map((page) => html`<a key=${page} href=${href(page)} aria-current=${page === name ? 'page' : undefined}>${PAGES[page][1]}</a>`)}</nav></header>
    ${outage.value && html`<p class="outage" role="alert">${texts[outage.value]}</p>`}
    <main id="main" tabindex="-1"><${Page} key=${`${name}\n${['project', 'role', 'provider', 'user', 'user-grant', 'project-grant', 'domain'].includes(name) ? subject : ''}`} /></main></div>`
}

followLinks()
render(html`<${App} />`, document.getElementById('root') ?? document.body)
