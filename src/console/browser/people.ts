import { call, withQuery } from './api.js'
import { learnOrganization, learnPerson, type Person } from './known.js'

const LONGEST_WAIT_MS = 10_000

type Kind = 'users' | 'organizations'

/** What a port of the host finds. */
const ask = async <Found>(
  kind: Kind,
  query: Readonly<Record<string, string>>,
): Promise<readonly Found[]> => {
  const outcome = await call<{ readonly [name in Kind]?: readonly Found[] }>({
    method: 'GET',
    path: withQuery(`/${kind}`, query),
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
  })
  return ('body' in outcome && outcome.body[kind]) || []
}

const askPeople = async (query: Readonly<Record<string, string>>): Promise<readonly Person[]> => {
  const found = await ask<Person>('users', query)
  for (const person of found) learnPerson(person)
  return found
}

/** The user of an id, or undefined where the host knows nobody by it. */
export const describe = async (id: string): Promise<Person | undefined> =>
  (await askPeople({ id }))[0]

/** Users by a part of a name. */
export const findPeople = (text: string): Promise<readonly Person[]> => askPeople({ text })

/** Organizations by a part of a name. */
export const findOrganizations = async (
  text: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> => {
  if (!text) return []
  const found = await ask<{ readonly id: string; readonly name: string }>('organizations', { text })
  for (const { id, name } of found) learnOrganization(id, name)
  return found
}
