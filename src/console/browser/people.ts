import { call, withQuery } from './api.js'
import { learnPerson, type Person } from './known.js'

const LONGEST_WAIT_MS = 10_000

const ask = async (query: Readonly<Record<string, string>>): Promise<readonly Person[]> => {
  const path = withQuery('/users', query)
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS)
  const outcome = await call<{ readonly users?: readonly Person[] }>({
    method: 'GET',
    path,
    signal,
  })
  const found = ('body' in outcome && outcome.body.users) || []
  for (const person of found) learnPerson(person)
  return found
}

/** The user of an id, or undefined where the host knows nobody by it. */
export const describe = async (id: string): Promise<Person | undefined> => (await ask({ id }))[0]

/** Users by a part of a name. */
export const findPeople = (text: string): Promise<readonly Person[]> => ask({ text })
