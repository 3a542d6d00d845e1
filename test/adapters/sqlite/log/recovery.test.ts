import { copyFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { eventRecoveryLaws } from '../../../../src/laws/index.js'
import type { EventStore } from '../../../../src/ports/event-store.js'
import { temporaryFile } from '../temporary-file.js'

const crashes = () => {
  const paths = new Map<EventStore, string>()
  const openAs = (path: string): EventStore => {
    const { store } = openSqlite(path)
    paths.set(store, path)
    return store
  }
  return {
    open: async () => openAs(temporaryFile()),
    // What a crash leaves: the file and its write-ahead log, as they are at this moment.
    crash: async (store: EventStore) => {
      const copy = temporaryFile()
      for (const part of ['', '-wal']) copyFileSync(`${paths.get(store)}${part}`, `${copy}${part}`)
      return openAs(copy)
    },
  }
}

describe('The SQLite event store, when its program is killed', () => {
  for (const { name, check } of eventRecoveryLaws) test(name, () => check(crashes()))
})
