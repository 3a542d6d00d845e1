// Copies the log of an object into a file, from anywhere: run it every night, and it goes on where it was.
import { copyEvents, type EventStore, type RecordedEvent } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

/** An object, as the route `/backup` shows it. */
export interface Source {
  /** Such as `https://iam.example/backup`, or `https://iam.example/directory/backup`. */
  readonly url: string
  /** An organization of the tenant. */
  readonly orgId: string
  /** A session of the operator. */
  readonly token: string
}

const refuse = async (): Promise<never> => {
  throw new Error('Only the log can be read')
}

const storeAt = ({ url, orgId, token }: Source): EventStore => ({
  append: refuse,
  readStream: refuse,
  findAppend: refuse,
  lastPosition: refuse,
  readAll: async (after, limit) => {
    const headers = { authorization: `Bearer ${token}`, 'x-service-orgid': orgId }
    const response = await fetch(`${url}?after=${after}&limit=${limit}`, { headers })
    if (!response.ok) throw new Error(`The object answered ${response.status}`)
    const lines = (await response.text()).split('\n').slice(0, -1)
    return lines.map((line): RecordedEvent => {
      const event = JSON.parse(line)
      return { ...event, position: BigInt(event.position) }
    })
  },
})

/** Copies what is new in an object into the SQLite file at `path`, and verifies the whole file. */
export const backUp = async (source: Source, path: string) => {
  await using to = openSqlite(path)
  return await copyEvents(storeAt(source), to.store)
}
