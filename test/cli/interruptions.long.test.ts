import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { claviger, PROGRAM, type Running, shell, starting } from './command-line.js'
import { fileWithRoles, newFile, ownServer, PLACES, query, stopServer, written } from './places.js'

const ROLES = 2_500

let path: string
beforeAll(async () => {
  path = await fileWithRoles(ROLES)
})
afterAll(stopServer)

const access = written('{"projects":[{"id":"portal","name":"Portal"},{"id":"shop","name":"Shop"}]}')

const countIn = async (file: string): Promise<number> => {
  await using opened = openSqlite(file)
  return opened.store.countAfter(0n)
}

describe('A reader that has enough', () => {
  it('ends the command, without an error', async () => {
    const setting = { env: { DB: path } }
    const all = await Promise.all([
      shell('claviger log --db "$DB" | head -1', setting),
      shell('claviger history --org acme --db "$DB" --json | head -1', setting),
      // It waits for new events, which nobody would read.
      shell('claviger log --follow --db "$DB" | head -1', setting),
    ])
    for (const { code, out, notes } of all) {
      expect({ code, notes }).toEqual({ code: 0, notes: '' })
      expect(out.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  it('still gets a fault as the exit code', async () => {
    const setting = { env: { DB: path, FILE: access } }
    const script = 'claviger plan "$FILE" --org acme --db "$DB" | true; echo $PIPESTATUS'
    expect((await shell(script, setting)).out).toBe('2\n')
  })
})

describe.runIf(process.platform === 'linux')('A full disk', () => {
  it('of the output is reported', async () => {
    const key = newFile('signer')
    const setting = { env: { DB: path, KEY: key } }
    const full = { code: 1, out: '', notes: 'claviger: The output cannot be written (ENOSPC)\n' }
    expect(
      await Promise.all([
        shell('claviger log --db "$DB" >/dev/full', setting),
        shell('claviger verify --db "$DB" >/dev/full', setting),
        shell('claviger key "$KEY" --name x >/dev/full', setting),
        shell('claviger log --help >/dev/full', setting),
        shell('claviger log 2>/dev/full', setting),
      ]),
    ).toEqual([full, full, full, full, { code: 64, out: '', notes: '' }])
    // What its verifier was not told of is not kept.
    expect((await claviger('key', key, '--name', 'x')).code).toBe(0)
  })

  it('of the database leaves whole batches, and the next copy goes on', async () => {
    const target = newFile('target.db')
    const setting = { env: { DB: path, TARGET: target } }
    const script = 'claviger copy --from "$DB" --to "$TARGET"'
    // In KiB: a file may not grow beyond, which a disk refuses as well.
    const { code, out, notes } = await shell(`ulimit -f 600; ${script}`, setting)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(notes).toMatch(/^claviger: A service .+ is unavailable: SQLite: .*(full|disk I\/O)/)
    const copied = await countIn(target)
    expect(copied % 1_000).toBe(0)
    expect(copied).toBeLessThan(ROLES)
    const rest = `${ROLES + 1 - copied} events copied, ${ROLES + 1} verified\n`
    expect(await shell(script, setting)).toEqual({ code: 0, out: rest, notes: '' })
  })
})

describe('Ctrl-C', () => {
  it('ends a log that is followed, after what was recorded meanwhile', async () => {
    const file = newFile()
    const apply = (...parameters: readonly string[]) =>
      claviger('apply', access, '--org', 'acme', '--db', file, ...parameters)
    await apply('--create')
    const following = starting('log', '--follow', '--db', file)
    await following.printed('project-acme+shop')
    await Promise.all([
      claviger('apply', access, '--org', 'globex', '--db', file),
      following.printed('project-globex+shop'),
    ])
    following.child.kill('SIGINT')
    const { code, out, notes } = await following.ended
    expect({ code, notes, lines: out.split('\n').length }).toEqual({ code: 0, notes: '', lines: 5 })
  })

  /** Runs `work` while nothing can be written to the events of a schema. */
  const whileLocked = async (schema: string, work: () => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: (await ownServer()).connectionString })
    await client.connect()
    try {
      await client.query(`BEGIN; LOCK TABLE ${schema}.events IN SHARE MODE`)
      await work()
    } finally {
      await client.query('ROLLBACK')
      await client.end()
    }
  }

  /** Resolves once somebody waits for a lock. */
  const whenWaiting = async (): Promise<void> => {
    const found = await query("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'")
    if (found.length > 0) return
    await pause(20)
    return whenWaiting()
  }

  const whenNobodyWaits = async (): Promise<void> => {
    const others =
      "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query ILIKE '%append%'"
    const found = await query(`${others} AND pid <> pg_backend_pid()`)
    if (found.length === 0) return
    await pause(20)
    return whenNobodyWaits()
  }

  /** Ends a command that waits for the server, which the first Ctrl-C leaves time to answer. */
  const interrupt = async ({ child, noted, ended }: Running): Promise<void> => {
    await whenWaiting()
    child.kill('SIGINT')
    const note = 'claviger: Waiting for the database. Ctrl-C again ends at once\n'
    await noted(note)
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: -1, out: '', notes: note })
  }

  /** A schema without events. */
  const emptyTarget = async () => {
    const { to, database } = await PLACES.PostgreSQL()
    const schema = to.at(-1) ?? ''
    await claviger('apply', access, '--org', 'x', '--create', ...database)
    await query(`TRUNCATE ${schema}.events`)
    const count = async () => {
      const [row] = await query(`SELECT count(*)::int AS events FROM ${schema}.events`)
      return Number(row?.['events'])
    }
    return { schema, count, parameters: ['--from', path, ...to] }
  }

  it('ends a copy after the batch that is being recorded', async () => {
    const { schema, count, parameters } = await emptyTarget()
    const copying = starting('copy', ...parameters)
    await whileLocked(schema, async () => {
      await whenWaiting()
      copying.child.kill('SIGINT')
    })
    const { code, out, notes } = await copying.ended
    expect({ code, out, events: await count() }).toEqual({ code: 1, out: '', events: 1_000 })
    expect(notes).toMatch(/claviger: Interrupted\n$/)
  })

  it('twice ends a copy at once, and the next one goes on', async () => {
    const { schema, count, parameters } = await emptyTarget()
    await whileLocked(schema, () => interrupt(starting('copy', ...parameters)))
    await whenNobodyWaits()
    const copied = await count()
    expect([0, 1_000]).toContain(copied)
    const rest = ROLES + 1 - copied
    const out = `${rest} events copied, ${ROLES + 1} verified\n`
    expect(await claviger('copy', ...parameters)).toEqual({ code: 0, out, notes: '' })
  })

  it('twice ends an apply at once: each project is there or not', async () => {
    const { database, to } = await PLACES.PostgreSQL()
    const parameters = [access, '--org', 'other', ...database]
    await claviger('copy', '--from', path, ...to)
    await whileLocked(to.at(-1) ?? '', () => interrupt(starting('apply', ...parameters)))
    await whenNobodyWaits()
    const applied = await claviger('apply', ...parameters)
    expect(applied).toMatchObject({ code: 0, notes: '' })
    const planned = await claviger('plan', ...parameters)
    expect(planned.out).toBe('0 to add, 0 to update, 0 to remove, 2 unchanged\n')
    expect((await claviger('verify', ...database)).code).toBe(0)
  })
})

/** What a terminal of util-linux shows. */
const onTerminal = (command: string, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync('script', ['-qec', `"${process.execPath}" "${PROGRAM}" ${command}`, '/dev/null'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  })

describe.runIf(process.platform === 'linux')('On a terminal', () => {
  it('long work shows how far it is, and is not seen in a file', async () => {
    const shown = onTerminal(`verify --db "${path}"`)
    expect(shown).toContain('\r\u001b[K1000 events verified')
    expect(shown).toContain('\r\u001b[Kok: 2501 events')
    expect((await claviger('verify', '--db', path)).notes).toBe('')
  })

  it('what happened is bold, unless NO_COLOR is set or the terminal is dumb', () => {
    const command = `history project portal --org acme --db "${path}"`
    const bold = '\u001b[1mproject.added\u001b[22m'
    expect(onTerminal(command)).toContain(bold)
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const shown = onTerminal(command, env)
      expect(shown).toContain('  project.added  ')
      if ('TERM' in env) expect(shown).not.toContain('\u001b')
      else expect(shown).not.toContain('\u001b[1m')
    }
  })
})
