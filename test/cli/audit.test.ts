import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIam, type Iam, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claviger, PROGRAM } from './command-line.js'
import { newFile } from './places.js'

const secrets = {
  seal: () => Promise.reject(new Error('No secrets')),
  open: () => Promise.reject(new Error('No secrets')),
  isCurrent: () => true,
}

const as = (userId: string) => ({ caller: { userId, orgId: 'acme' } })

const file = newFile()
/** A copy that no command has read: its read model is behind. */
const unread = newFile()

/** Changes by two users, in two months; the read model has seen the first ones alone. */
const recorded = async (iam: Iam) => {
  await orThrow(iam.projects.add({ id: 'p', name: 'March' }, as('alice')))
  await orThrow(iam.projects.list({}, as('alice')))
}

beforeAll(async () => {
  let month = '03'
  const now = () => new Date(`2026-${month}-10T12:00:00Z`)
  const opened = openSqlite(file, { now })
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  await recorded(iam)
  await orThrow(iam.projects.patch({ id: 'p', name: 'By bob in March' }, as('bob')))
  month = '04'
  await orThrow(iam.projects.patch({ id: 'p', name: 'By bob in April' }, as('bob')))
  await orThrow(iam.projects.patch({ id: 'p', name: 'By alice in April' }, as('alice')))
  await opened.close()
  copyFileSync(file, unread)
})

const names = async (...options: readonly string[]): Promise<readonly string[]> => {
  const ran = await claviger('history', '--org', 'acme', '--db', file, ...options)
  expect(ran.notes).toBe('')
  return [...ran.out.matchAll(/name: (?:.* -> )?"(.*)"$/gm)].map(([, name = '']) => name)
}

describe('claviger history', () => {
  it('answers what somebody did, and when', async () => {
    expect(await names('--actor', 'bob')).toEqual(['By bob in March', 'By bob in April'])
    const march = ['--since', '2026-03-01', '--until', '2026-04-01T00:00:00Z']
    expect(await names('--actor', 'bob', ...march)).toEqual(['By bob in March'])
    expect(await names(...march)).toEqual(['March', 'By bob in March'])
    expect(await names('--since', '2026-04-10T14:00:00.000+02:00')).toHaveLength(2)
    expect(await names('--actor', 'eve')).toEqual([])
    expect(await names('project', 'p', '--until', '2026-03-10')).toEqual([])
  })

  it.each(['yesterday', '2026-02-30', '2026-13-01', '2026-03-01T25:00:00Z', '2026-03-01T12:00'])(
    'refuses the time %s',
    async (time) => {
      for (const option of ['--since', '--until']) {
        const ran = await claviger('history', '--org', 'acme', '--db', file, option, time)
        expect(ran).toMatchObject({
          code: 64,
          notes: expect.stringContaining(`${option} must be a time of RFC 3339`),
        })
      }
    },
  )
})

describe.runIf(process.platform === 'linux')('a file on a read-only medium', () => {
  /** Root may write everywhere, so the command runs as another user. */
  const other = process.getuid?.() === 0 ? 65_534 : undefined
  // Not in the folder of the run, which only its owner enters.
  const outer = mkdtempSync(join(tmpdir(), 'claviger-read-only-'))
  const folder = join(outer, 'backup')
  afterAll(() => {
    chmodSync(folder, 0o755)
    rmSync(outer, { recursive: true })
  })
  const copy = join(folder, 'iam 100%.db')
  beforeAll(() => {
    mkdirSync(folder)
    copyFileSync(unread, copy)
    chmodSync(copy, 0o444)
    chmodSync(folder, 0o555)
    for (const path of [folder, copy]) if (other) chownSync(path, other, other)
    chmodSync(outer, 0o755)
  })

  it.each(['log', 'verify', 'doctor', 'history'])('is read by claviger %s', (command) => {
    const org = command === 'history' ? ['--org', 'acme'] : []
    const ran = spawnSync(process.execPath, [PROGRAM, command, '--db', copy, ...org], {
      encoding: 'utf8',
      env: { NO_COLOR: '1' },
      ...(other && { uid: other, gid: other }),
    })
    expect([ran.stderr, ran.status]).toEqual(['', 0])
    const shown = {
      log: /project\.patched|project\./,
      verify: /^ok: 4 events/,
      doctor: /behind +3/,
    }
    expect(ran.stdout).toMatch({ ...shown, history: /By alice in April/ }[command] ?? /^$/)
  })
})
