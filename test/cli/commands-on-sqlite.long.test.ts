import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { eventLine } from '../../src/application/evidence/index.js'
import { claviger } from './command-line.js'
import { commandsSuite, out } from './commands-suite.js'
import { newFile, written } from './places.js'

describe('The command line on SQLite', () => commandsSuite('SQLite'))

describe('The log in JSON', () => {
  it('is exactly the evidence, with any content', async () => {
    const path = newFile()
    const name = 'postgres://u:secret@host \u0085\u009b31m\u007f\u202e é\u{1f600}'
    const file = written(JSON.stringify({ projects: [{ id: 'p', name }] }))
    out(await claviger('apply', file, '--org', 'acme', '--create', '--db', path))
    await using opened = openSqlite(path)
    const events = await opened.store.readAll(0n, 10)
    const [json, history] = await Promise.all([
      claviger('log', '--json', '--db', path),
      claviger('history', '--org', 'acme', '--db', path),
    ])
    expect(out(json)).toBe(`${events.map(eventLine).join('\n')}\n`)
    // For people, nothing moves the cursor or turns the text around.
    expect(out(history)).toContain(String.raw`\u{85}\u{9b}31m\u{7f}\u{202e} é`)
  })
})
