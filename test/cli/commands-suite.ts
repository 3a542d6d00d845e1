import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claviger, type Ran, starting } from './command-line.js'
import { CANARIES, newFile, PLACES, type Place, stopServer, written } from './places.js'

const { clientSecret, k1, k2 } = CANARIES
const keys = written(JSON.stringify({ current: 'k1', keys: { k1 } }), 'keys.json')
const newKeys = written(JSON.stringify({ current: 'k2', keys: { k1, k2 } }), 'keys.json')
const portal = {
  id: 'portal',
  name: 'Portal',
  roles: [{ roleKey: 'editor', displayName: 'Editor' }],
}
const google = {
  idpId: 'google',
  name: 'Google',
  clientId: 'client-1',
  clientSecret,
  issuer: 'https://accounts.example.com',
}
const desired = { managedBy: 'ops', projects: [portal], identityProviders: [google] }
const access = written(JSON.stringify(desired))
const changed = written(JSON.stringify({ ...desired, projects: [{ ...portal, name: 'Shop' }] }))

/** What a command printed, when it did what it was asked to. */
export const out = ({ code, out, notes }: Ran): string => {
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  return out
}

/** What every command does on a database of one kind. */
export const commandsSuite = (kind: keyof typeof PLACES): void => {
  const newPlace = PLACES[kind]
  const all: Ran[] = []
  const secrets: string[] = Object.values(CANARIES)
  let place: Place
  let lines: readonly string[]
  const run = async (name: string, ...parameters: readonly string[]): Promise<Ran> => {
    const ran = await claviger(name, ...parameters)
    all.push(ran)
    return ran
  }
  /** A command on the place. */
  const on = (name: string, ...parameters: readonly string[]): Promise<Ran> =>
    run(name, ...parameters, ...place.database)

  afterAll(stopServer)

  beforeAll(async () => {
    place = await newPlace()
    const parameters = [access, '--org', 'acme', '--user', 'alice', '--keys', keys, '--create']
    expect(out(await on('apply', ...parameters))).toContain('3 to add, 0 to update')
    lines = out(await on('log', '--json'))
      .trimEnd()
      .split('\n')
  })

  it('plans and applies a desired state, once', async () => {
    const asked = ['--org', 'acme', '--keys', keys]
    const [same, other, json, again] = await Promise.all([
      on('plan', access, ...asked),
      on('plan', changed, ...asked),
      on('plan', changed, ...asked, '--json'),
      on('apply', access, ...asked, '--json'),
    ])
    expect(out(same)).toBe('0 to add, 0 to update, 0 to remove, 3 unchanged\n')
    expect(other).toMatchObject({ code: 2, notes: '' })
    expect(other.out).toBe(
      '~ project portal\n    name: "Portal" -> "Shop"\n0 to add, 1 to update, 0 to remove, 2 unchanged\n',
    )
    expect(json.code).toBe(2)
    expect(JSON.parse(json.out)).toMatchObject({ orgId: 'acme', counts: { update: 1 } })
    expect(JSON.parse(out(again))).toMatchObject({ counts: { unchanged: 3 } })
  })

  it('plans without keys, where every declared secret counts as a change', async () => {
    const { code, out, notes } = await on('plan', access, '--org', 'acme')
    expect({ code, notes }).toEqual({ code: 2, notes: '' })
    expect(out).toMatch(/^~ identity provider google\n {4}clientSecret: \(changed\)\n0 to add, 1 /)
  })

  it('prints the log, as a whole or a part', async () => {
    const { position } = JSON.parse(lines[0] ?? '')
    const [text, after, other] = await Promise.all([
      on('log'),
      on('log', '--json', '--after', position, '--org', 'acme'),
      on('log', '--org', 'globex'),
    ])
    expect(out(text).trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^\d{16} {2}\d{4}-.+Z {2}project\.added {2}project-acme\+portal {2}alice$/,
      ),
      expect.stringContaining('project_role.added  project_role-acme+portal+editor  alice'),
      expect.stringContaining('identity_provider.oidc_added  identity_provider-acme+google  alice'),
    ])
    expect(out(after).trimEnd().split('\n')).toEqual(lines.slice(1))
    expect(out(other)).toBe('')
  })

  it('prints who changed what, of an organization or of one object', async () => {
    const [whole, role, json] = await Promise.all([
      on('history', '--org', 'acme'),
      on('history', 'project_role', 'portal', 'editor', '--org', 'acme'),
      on('history', 'identity_provider', 'google', '--org', 'acme', '--json'),
    ])
    expect(out(whole)).toMatch(/project\.added {2}portal {2}alice\n {4}name: "Portal"\n/)
    expect(out(whole)).toContain('    clientSecret: (changed)\n')
    expect(out(role)).toMatch(/^\d+ {2}\S+ {2}project_role\.added {2}portal editor {2}alice\n/)
    expect(JSON.parse(out(json))).toMatchObject({
      actor: { userId: 'alice' },
      object: { type: 'identity_provider', idpId: 'google' },
    })
  })

  it('explains why a role counts for a user, or does not', async () => {
    const asked = ['bob', 'portal', 'editor', '--org', 'acme'] as const
    const [now, json, early, past] = await Promise.all([
      on('explain', ...asked),
      on('explain', ...asked, '--json'),
      on('explain', ...asked, '--at', 'yesterday'),
      on('explain', ...asked, '--at', '2020-01-01T00:00:00Z'),
    ])
    expect(out(now)).toMatch(
      /^denied: NoGrant\n\d+ {2}\S+ {2}project\.added {2}portal {2}alice\n( {4}\w+: .*\n)+$/,
    )
    expect(JSON.parse(out(json))).toMatchObject({
      allowed: false,
      reasons: [{ kind: 'NoGrant' }],
      because: [{ type: 'project.added', object: { type: 'project', id: 'portal' } }],
    })
    expect(early.code).toBe(64)
    expect(out(past)).toBe('denied: ProjectNotFound\n')
  })

  it('tells versions, schema and lag', async () => {
    expect(out(await on('doctor'))).toMatch(
      /^claviger .*\nnode .*\ndatabase .*\n(schema .*\n)?tables {6}up to date\nevents {6}3\n/,
    )
    expect(JSON.parse(out(await on('doctor', '--json')))).toMatchObject({
      events: 3,
      behind: 0,
      database: expect.stringMatching(new RegExp(`^${kind} \\d+\\.\\d+`)),
      driver: kind === 'SQLite' ? 'node:sqlite' : 'pg',
    })
  })

  it('rebuilds the read model, or goes on with it', async () => {
    expect(out(await on('rebuild'))).toMatch(/^3 events applied in \d+ s\n$/)
    expect(JSON.parse(out(await on('doctor', '--json')))).toMatchObject({ behind: 0 })
    expect(JSON.parse(out(await on('rebuild', '--json')))).toMatchObject({ events: 3 })
    expect(JSON.parse(out(await on('rebuild', '--resume', '--json')))).toMatchObject({ events: 0 })
  })

  it('verifies the log by signed checkpoints, and finds a change', async () => {
    const signer = newFile('signer')
    const trust = out(await run('key', signer, '--name', 'acme.example/iam')).trim()
    expect(statSync(signer).mode & 0o777).toBe(0o600)
    const note = out(await on('checkpoint', '--key', signer))
    const [checkpoint, json] = [
      written(note),
      out(await on('checkpoint', '--key', signer, '--json')),
    ]
    expect(JSON.parse(json)).toEqual({ checkpoint: note })
    const asked = ['--checkpoint', checkpoint, '--trust', trust]
    const [since, good, sealed, stranger] = await Promise.all([
      on('checkpoint', '--key', signer, '--since', checkpoint),
      on('verify', ...asked, '--json'),
      on('verify', ...asked, '--keys', keys),
      on('verify', '--checkpoint', access, '--trust', trust),
    ])
    expect(out(since)).toBe(note)
    expect(JSON.parse(out(good))).toMatchObject({ events: 3, checkpoints: 1 })
    expect(out(sealed)).toMatch(/^ok: 3 events, the last at \d+; 1 checkpoint holds\n$/)
    expect(stranger).toEqual({
      code: 1,
      out: '',
      notes: `claviger: ${access} must be a checkpoint that one of the keys has signed\n`,
    })
    const change = (from: string, to: string) =>
      place.tamper(`UPDATE events SET metadata = replace(metadata, '${from}', '${to}')`)
    await change('alice', 'mallory')
    const [unseen, seen, told] = await Promise.all([
      on('verify'),
      on('verify', ...asked),
      on('verify', ...asked, '--json'),
    ])
    await change('mallory', 'alice')
    expect(out(unseen)).toMatch(/^ok: 3 events/)
    expect(seen).toMatchObject({ code: 2, notes: '' })
    expect(seen.out).toMatch(/^FAULT: The log does not match a checkpoint \(LogChanged, /)
    expect(told.code).toBe(2)
    expect(JSON.parse(told.out)).toMatchObject({ fault: { kind: 'LogChanged', size: 3 } })
    secrets.push(readFileSync(signer, 'utf8').trim())
  })

  it('copies the log to the other kind, and goes on there', async () => {
    const target = await (kind === 'SQLite' ? PLACES.PostgreSQL : PLACES.SQLite)()
    const first = out(await run('copy', ...place.from, ...target.to))
    const asked = ['--org', 'acme', '--keys', keys]
    expect(first).toBe('3 events copied, 3 verified\n')
    expect(
      out(await run('log', '--json', ...target.database))
        .trimEnd()
        .split('\n'),
    ).toEqual(lines)
    const again = out(await run('copy', ...place.from, ...target.to, '--json'))
    expect(JSON.parse(again)).toEqual({ copied: 0, events: 3 })
    await using cursors = place.cursors()
    await using copied = target.cursors()
    await cursors.write('https://receiver.example', { state: 'waiting', version: 0 })
    const withCursors = out(await run('copy', ...place.from, ...target.to))
    expect(withCursors).toBe('0 events copied, 3 verified; webhook cursors copied: 1\n')
    expect(await copied.read('https://receiver.example')).toEqual({ state: 'waiting', version: 1 })
    // What one of them records makes them two logs.
    out(await run('apply', changed, ...asked, '--reason', 'Ticket 4711', ...target.database))
    const history = ['history', 'project', 'portal', '--org', 'acme', ...target.database] as const
    expect(out(await run(...history))).toContain('    reason: Ticket 4711\n    name: "Portal" -> ')
    const refused = await run('copy', ...place.from, ...target.to)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.notes).toMatch(/^claviger: The target has events that are not in the source/)
  })

  it('seals secrets anew in a copy', async () => {
    const target = await newPlace()
    out(await run('copy', ...place.from, ...target.to, '--keys', keys))
    const reseal = (...parameters: readonly string[]) =>
      run('reseal', '--org', 'acme', ...target.database, ...parameters)
    expect(await reseal()).toMatchObject({
      code: 1,
      notes: 'claviger: Secrets need keys: give --keys FILE\n',
    })
    expect(out(await reseal('--keys', newKeys))).toBe('1 resealed, 0 unchanged, 0 failed\n')
    const again = JSON.parse(out(await reseal('--keys', newKeys, '--json')))
    expect(again).toEqual({ resealed: [], unchanged: ['google'], failed: [] })
    const [both, old] = await Promise.all(
      [newKeys, keys].map((each) => run('verify', '--keys', each, ...target.database)),
    )
    expect(out(both as Ran)).toMatch(/^ok: 4 events/)
    expect(old).toMatchObject({ code: 2, out: expect.stringContaining('SealBroken') })
  })

  it('serves the JSON interface and the console to who has the token', async () => {
    const parameters = ['--org', 'acme', '--port', '0', '--json', ...place.database]
    const serving = starting('serve', ...parameters)
    const { console, json, token } = JSON.parse(await serving.first())
    const get = async (url: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url, { headers })
      return [response.status, await response.text()]
    }
    const headers = { authorization: `Bearer ${token}` }
    expect(await get(json, headers)).toEqual([200, expect.stringContaining('"Portal"')])
    expect((await get(json))[0]).toBe(401)
    const signedIn = await fetch(console, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      redirect: 'manual',
    })
    const page = new URL(signedIn.headers.get('location') ?? '', console)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(await get(page.href)).toEqual([200, expect.stringContaining('<script')])
    const api = new URL('/console/api/v1/projects', console).href
    expect((await get(api))[0]).toBe(401)
    expect(await get(api, { cookie })).toEqual([200, expect.stringContaining('"Portal"')])
    // Far more than a token: it is not read to its end.
    const endless = await fetch(console, { method: 'POST', body: 'x'.repeat(100_000) })
    expect(endless.status).toBe(413)
    serving.child.kill('SIGINT')
    expect(await serving.ended).toMatchObject({ code: 0, notes: '' })
  })

  it('shows no secret in any output', () => {
    const shown = JSON.stringify(all)
    for (const secret of secrets) expect(shown).not.toContain(secret)
    expect(secrets).toHaveLength(5)
    expect(all.length).toBeGreaterThan(20)
  })
}
