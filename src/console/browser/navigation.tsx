import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { actFor } from './api.js'
import { Choice, LanguageChoice } from './choice.js'
import { GoTo } from './go-to.js'
import { ownOrganization } from './known.js'
import { UserName } from './names.js'
import { AREAS, type AreaName, type PageName } from './page-names.js'
import { session, shownAreas, useAnyPermission, usePermission } from './permissions.js'
import { href } from './router.js'
import { settings } from './settings.js'
import { texts } from './texts.js'

/** A page of the console. */
export interface Page {
  readonly Content: ComponentType
  readonly title: string
  /** Needed to see it in the menu; for a page that changes things, any that changes something. */
  readonly permission?: string
  /** The entry of the menu that it belongs to, if it has none of its own. */
  readonly within?: PageName
}

/** The pages of the menu, below the overview. */
const GROUPS: readonly { readonly title: string; readonly names: readonly PageName[] }[] = [
  { title: texts.menuOf.people, names: ['users', 'matrix', 'grants'] },
  { title: texts.menuOf.projects, names: ['projects'] },
  {
    title: texts.menuOf.signIn,
    names: ['providers', 'mappings', 'domains', 'set-up', 'setup-links'],
  },
  { title: texts.menuOf.audit, names: ['review', 'timeline', 'plan'] },
]

/** Whether the host has left a page switched on. Plans, which are for developers, it switches on itself. */
export const isOn = (page: PageName): boolean => {
  const names = Object.keys(AREAS) as AreaName[]
  const area = names.find((name) => (AREAS[name] as readonly PageName[]).includes(page))
  return area === undefined || (shownAreas()?.includes(area) ?? area !== 'plan')
}

interface NavigationProps {
  readonly pages: Readonly<Record<PageName, Page>>
  readonly current: PageName | undefined
}

/** The pages that the caller may see and that the host has not switched off. */
export const Navigation = ({ pages, current }: NavigationProps) => {
  const { logo, title, backUrl, signOutUrl } = settings
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [current])
  const visible = (names: readonly PageName[]) =>
    names.filter((name) => isOn(name) && isAllowed(pages[name]))
  const item = (name: PageName) => {
    const isWithin = current !== undefined && pages[current].within === name
    const state = name === current ? 'page' : isWithin ? 'true' : undefined
    return (
      <a key={name} href={href(name)} aria-current={state}>
        {pages[name].title}
      </a>
    )
  }
  const { userId, organizations: choices = [] } = session.value ?? {}
  const all = visible(['', ...GROUPS.flatMap(({ names }) => names)])
  return (
    <header class={isOpen ? 'top open' : 'top'}>
      <a class="brand" href={href('')}>
        {logo && <img src={logo} alt="" height="24" />}
        <span>{title || texts.title}</span>
      </a>
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        {texts.menuButton}
      </button>
      <nav id="menu" aria-label={texts.menu}>
        <GoTo pages={all.map((name) => ({ name, title: pages[name].title }))} />
        {item('')}
        {GROUPS.map(({ title, names }) => (
          <section key={title}>
            <p class="kind">{title}</p>
            {visible(names).map(item)}
          </section>
        ))}
      </nav>
      {choices.length > 1 && (
        <Choice
          text={texts.organization}
          value={ownOrganization()}
          options={choices.map(({ id, name }) => ({ value: id, name }))}
          change={actFor}
        />
      )}
      {(userId || backUrl || signOutUrl || settings.languages.length > 1) && (
        <p class="leave">
          <LanguageChoice />
          {userId && <UserName id={userId} />}
          {backUrl && (
            <a href={backUrl} rel="external">
              {texts.backToApp}
            </a>
          )}{' '}
          {signOutUrl && (
            <a href={signOutUrl} rel="external">
              {texts.signOut}
            </a>
          )}
        </p>
      )}
    </header>
  )
}

/** Whether the caller may see a page. */
const isAllowed = ({ permission = '' }: Page): boolean =>
  permission === '' ||
  ((permission.startsWith('.') ? useAnyPermission(permission) : usePermission(permission)) ?? false)
