import { type Signal, signal } from '@preact/signals'
import { call, withQuery } from './api.js'
import { settings } from './settings.js'

/** A user as the host describes them. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email?: string
  readonly picture?: string
}

/** By the id of a user: undefined until the host has answered, and where it knows nobody. */
const people = new Map<string, Signal<Person | undefined>>()
const wanted = new Set<string>()

/** Ids of one request. The handler takes 100; addresses have to stay below what servers take. */
const MAX_IDS = 50
const MAX_CHARACTERS = 4_000
const LONGEST_WAIT_MS = 10_000

/** Names that are being read, for all that want some meanwhile. */
let asking: Promise<void> | undefined

/** Asks for the names of users, of many at once: all that are drawn together. */
const ask = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve))
  while (wanted.size > 0) {
    const ids: string[] = []
    for (const id of wanted) {
      const isFull = ids.length >= MAX_IDS || ids.join('').length + id.length > MAX_CHARACTERS
      if (isFull && ids.length > 0) break
      ids.push(id)
      wanted.delete(id)
    }
    const query = new URLSearchParams(ids.map((id) => ['id', id]))
    const found = await fetchPeople(`/users?${query}`)
    for (const person of found ?? []) {
      const known = people.get(person.id)
      if (known) known.value = person
    }
    // They are asked for again when they are next drawn or exported.
    if (!found) for (const id of ids) people.delete(id)
  }
  asking = undefined
}

/** Users by a path; undefined if they could not be read now. */
const fetchPeople = async (path: string): Promise<readonly Person[] | undefined> => {
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS)
  const outcome = await call<{ readonly users?: readonly Person[] }>({
    method: 'GET',
    path,
    signal,
  })
  if ('body' in outcome) return outcome.body.users ?? []
  const { status } = outcome.failure
  return status === 0 || status >= 500 ? undefined : []
}

/** A user, once the host has described them. */
export const personOf = (id: string): Signal<Person | undefined> => {
  const known = people.get(id)
  if (known) return known
  const person = signal<Person | undefined>(undefined)
  people.set(id, person)
  if (!settings.hasUsers || id === '') return person
  wanted.add(id)
  asking ??= ask()
  return person
}

/** Reads the names of users, such as for an export. */
export const readNames = async (ids: readonly string[]): Promise<void> => {
  for (const id of new Set(ids)) personOf(id)
  await asking
}

/** The user of an id, or undefined where the host knows nobody by it. */
export const describe = async (id: string): Promise<Person | undefined> => {
  const [person] = (await fetchPeople(withQuery('/users', { id }))) ?? []
  return person && remembered(person)
}

/** Users by a part of a name. */
export const findPeople = async (text: string): Promise<readonly Person[]> =>
  ((await fetchPeople(withQuery('/users', { text }))) ?? []).map(remembered)

const remembered = (person: Person): Person => {
  people.set(person.id, signal(person))
  return person
}

/** The name of a user, or the id. */
export const nameOf = (id: string): string => personOf(id).value?.name ?? id

interface UserNameProps {
  readonly id: string
  /** Shows a long id to its end. */
  readonly isWhole?: boolean
}

/** Most characters of an id next to a name, because database ids are longer than names. */
const SHORT = 8

/** The name of a user with the id beside it; the id alone where there is no name. */
export const UserName = ({ id, isWhole = false }: UserNameProps) => {
  const person = personOf(id).value
  if (!person || person.name === id) return <bdi>{id}</bdi>
  const isLong = !isWhole && id.length > SHORT + 4
  return (
    <span class="person" title={[person.email, id].filter(Boolean).join('\n')}>
      <bdi>{person.name}</bdi>{' '}
      <bdi class={isWhole ? 'id whole' : 'id'}>{isLong ? `${id.slice(0, SHORT)}…` : id}</bdi>
    </span>
  )
}
