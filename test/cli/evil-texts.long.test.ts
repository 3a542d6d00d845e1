import { ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { createIam, orThrow } from '../../src/index.js'
import { claviger } from './command-line.js'
import { CANARIES, newFile, written } from './places.js'

/** Clears the screen, by either of the two ways to begin a sequence, turns text around, and begins a line of its own. */
const EVIL = '\u001b[2J\u009b2J\u202eevil\u2028\u007f\nspoofed'

/** A database in which every text that somebody may choose is evil. */
const evilDatabase = async (): Promise<string> => {
  const path = newFile()
  await using opened = openSqlite(path)
  const secrets = {
    seal: async () => 'sealed' as never,
    open: async () => ok(''),
    isCurrent: () => true,
  }
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  const caller = { userId: EVIL, orgId: 'acme' }
  const context = { caller, reason: EVIL }
  await orThrow(iam.projects.add({ id: 'portal', name: EVIL }, context))
  const role = { projectId: 'portal', roleKey: EVIL, displayName: EVIL, group: EVIL }
  await orThrow(iam.projectRoles.add(role, context))
  const granted = { projectId: 'portal', grantedOrgId: 'globex', roleKeys: [EVIL] }
  await orThrow(iam.projectGrants.add(granted, context))
  const grant = { userId: EVIL, projectId: 'portal' }
  await orThrow(iam.userGrants.add({ ...grant, roles: [{ roleKey: EVIL }] }, context))
  const provider = { idpId: 'idp', name: EVIL, clientId: EVIL, clientSecret: 'x' }
  await orThrow(iam.identityProviders.addOidc({ ...provider, issuer: EVIL }, context))
  return path
}

const desired = {
  projects: [
    {
      id: 'portal',
      name: `${EVIL} 2`,
      roles: [{ roleKey: `${EVIL} 2`, displayName: EVIL, group: EVIL }],
    },
  ],
}

/** Characters that control a terminal or turn text around, but for the ends of lines. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

describe('Evil text, in every field that somebody may choose,', () => {
  it('cannot control a terminal or begin a line, in the output of any command', async () => {
    const path = await evilDatabase()
    const access = written(JSON.stringify(desired))
    const onAcme = ['--org', 'acme', '--db', path]
    const asked = [
      ['history', ...onAcme],
      ['history', 'project_role', 'portal', EVIL, ...onAcme],
      ['log', '--db', path],
      ['explain', EVIL, 'portal', EVIL, ...onAcme],
      ['plan', access, ...onAcme],
      ['history', '--org', EVIL, '--db', path],
      ['history', EVIL, EVIL, ...onAcme],
      ['doctor', '--db', `${path}-${EVIL}`],
      [EVIL],
    ]
    const json = asked.filter(([name]) => name !== 'log').map((each) => [...each, '--json'])
    for (const parameters of [...asked, ...json]) {
      const { out, notes } = await claviger(...parameters)
      expect(out + notes).not.toBe('')
      for (const text of [out, notes]) {
        expect(CONTROLS.exec(text)?.[0], parameters.join(' ')).toBeUndefined()
        expect(text).not.toMatch(/^spoofed/m)
      }
    }
    const { out } = await claviger('history', ...onAcme)
    // The names of fields, too.
    expect(out).toContain(
      String.raw`    roles.\u{1b}[2J\u{9b}2J\u{202e}evil\u{2028}\u{7f}\u{a}spoofed: `,
    )
    const { out: plan } = await claviger('history', '--json', ...onAcme)
    expect(plan).toContain(String.raw`"roles.\u001b[2J\u009b2J\u202eevil\u2028\u007f\nspoofed"`)
    for (const line of plan.trimEnd().split('\n')) JSON.parse(line)
    expect((await claviger('apply', access, ...onAcme)).out).not.toMatch(CONTROLS)
  })

  it('of a malformed address is printed without its password', async () => {
    const { password } = CANARIES
    const access = written('{}')
    for (const address of [
      `postgres:/u:${password}@127.0.0.1/d`,
      `postgres:u:${password}@127.0.0.1/d`,
      `postgres//u:${password}@127.0.0.1/d`,
      `postgress://u:${password}@127.0.0.1/d`,
      `u:${password}@127.0.0.1/d`,
      `host=127.0.0.1 user=u password=${password}`,
      `host=127.0.0.1 password = '${password} x'`,
    ])
      for (const parameters of [['log'], ['apply', access, '--org', 'acme', '--create']]) {
        const { code, notes } = await claviger(...parameters, '--db', address)
        expect(code).not.toBe(0)
        expect(notes).toMatch(/^claviger: /)
        expect(notes).not.toContain(password)
      }
  })
})
