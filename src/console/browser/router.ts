import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { mount } from './api.js'
import { PAGES, type PageName } from './page-names.js'
import { untell } from './status.js'

/** Query of a page. What is empty is left out. */
export type Query = Readonly<Record<string, unknown>>

const location = signal(new URL(window.location.href))
/** How far pages were scrolled when they were left. */
const places = new Map<string, number>()
const PLACE_MS = 2000

window.addEventListener('popstate', () => {
  location.value = new URL(window.location.href)
  const place = places.get(window.location.href)
  if (!place) return
  // A list has its length once it is read.
  const end = performance.now() + PLACE_MS
  const scroll = () => {
    window.scrollTo(0, place)
    if (window.scrollY < place && performance.now() < end) requestAnimationFrame(scroll)
  }
  scroll()
})

// A page that comes back from the cache of the browser may show what a user saw who has signed out since.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) window.location.reload()
})

/** The page that is open; undefined for an unknown path. */
export const pageName = computed(() => {
  const path = location.value.pathname.slice(mount.pathname.length)
  return PAGES.find((page) => page === path)
})

/** A parameter of the page, or an empty text. */
export const parameter = (name: string): string => location.value.searchParams.get(name) ?? ''

export const href = (page: PageName, query: Query = {}): string => {
  const url = new URL(page === '' ? '.' : page, mount)
  for (const [name, value] of Object.entries(query))
    if (value) url.searchParams.set(name, String(value))
  return url.pathname + url.search
}

const title = signal('')

/** The name of the object that the page is about; empty for a page of no object. */
export const objectTitle = title

/** Names the object of the page in the title of the window. */
export const useTitle = (name: string): void => {
  useEffect(() => {
    title.value = name
    return () => {
      title.value = ''
    }
  }, [name])
}

interface GoOptions {
  /** Whether what was said last stays. */
  readonly isKept?: boolean
}

/** Shows another page. */
export const go = (to: string, { isKept = false }: GoOptions = {}): void => {
  if (!isKept) untell()
  places.set(window.location.href, window.scrollY)
  history.pushState(null, '', to)
  location.value = new URL(window.location.href)
  window.scrollTo(0, 0)
  // Otherwise the keyboard focus stays on a link that has gone.
  document.getElementById('main')?.focus({ preventScroll: true })
}

/** Changes parameters of the page in place. */
export const setParameters = (query: Query): void => {
  const url = new URL(location.value)
  for (const [name, value] of Object.entries(query))
    if (value) url.searchParams.set(name, String(value))
    else url.searchParams.delete(name)
  history.replaceState(null, '', url)
  location.value = url
}

/** Whether a link leads to a page of the console. At the root of a host, all other paths are the host's. */
const isOwn = ({ origin, pathname }: HTMLAnchorElement): boolean => {
  if (origin !== mount.origin || !pathname.startsWith(mount.pathname)) return false
  const below = pathname.slice(mount.pathname.length)
  return PAGES.some((page) => page === below)
}

/** Follows links to pages of the console without loading the page again; links of the host are marked as its own. */
export const followLinks = (): void => {
  document.addEventListener('click', (event) => {
    const { ctrlKey, metaKey, shiftKey, altKey } = event
    const isPlain = event.button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      !link ||
      !isPlain ||
      link.target ||
      link.download ||
      link.hash ||
      link.rel === 'external' ||
      !isOwn(link)
    )
      return
    event.preventDefault()
    go(link.href)
  })
}
