import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runsTypeScript } from '../../src/cli/commands/init.js'
import { hostileProvider } from '../oidc/hostile-provider.js'
import { claviger, ownFolder, PROGRAM, shell, start } from './command-line.js'

const root = resolve(import.meta.dirname, '../..')

/** A folder in which the package is installed. */
const project = async (): Promise<string> => {
  const folder = ownFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/claviger'))
  return folder
}

/** Starts the server in `folder`, and waits until it listens. */
const serve = async (folder: string, env: Readonly<Record<string, string>> = {}) => {
  const running = start(process.execPath, ['main.ts'], { cwd: folder, env: { PORT: '0', ...env } })
  let printed = ''
  running.child.stdout?.on('data', (data) => (printed += data))
  await running.printed('Stop with')
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
  const stop = async () => {
    running.child.kill('SIGTERM')
    await once(running.child, 'close')
  }
  return { origin, printed, stop }
}

it('writes a server whose first lines show an access, why, and how it ends', async () => {
  const folder = await project()
  const { code, out } = await shell('claviger init', { cwd: folder })
  expect([code, out]).toEqual([
    0,
    'access.ts\ndemo.ts\niam.ts\nmain.ts\npackage.json\nsign-in.ts\n',
  ])

  const { origin, printed, stop } = await serve(folder)
  const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status
  // Each line that it prints works as it says.
  const [curl = ''] = /(?<=curl -i ')\S+(?=')/.exec(printed) ?? []
  const matrix = /\S+\/admin\/matrix\S+/.exec(printed)?.[0] ?? ''
  expect([(await fetch(curl)).status, (await fetch(matrix)).status]).toEqual([200, 200])
  const why = await (await fetch(`${origin}/why?user=ben`)).text()
  const [question, ...changes] = why.trim().split('\n')
  expect(question).toBe('May ben approve invoices? yes')
  expect(changes.map((line) => line.split('  ').slice(1).join(' '))).toEqual([
    'project.added by server',
    'project_role.added by server',
    'user_grant.added by ada',
    'user_grant.updated by ada',
  ])
  const ages = changes.map((line) =>
    Math.round((Date.now() - Date.parse(line.slice(0, 10))) / 864e5),
  )
  expect(ages[0]).toBeGreaterThanOrEqual(29)
  expect(ages).toEqual(ages.toSorted((a, b) => b - a))
  expect(await statusOf('/?user=cleo'), 'by her group').toBe(200)
  expect([await statusOf('/?user=dina'), await statusOf('/?user=eve')]).toEqual([403, 403])

  // As the console does it.
  const removed = await fetch(`${origin}/admin/api/v1/userGrant:removeRoles`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'ben', projectId: 'invoicing', roleKeys: ['approver'] }),
  })
  expect(removed.status).toBe(200)
  const refused = await fetch(curl)
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('PermissionNotGranted'),
  ])
  await stop()

  // Another start keeps what happened.
  const again = await serve(folder)
  expect((await fetch(`${again.origin}/?user=ben`)).status).toBe(403)
  await again.stop()
})

it('makes a folder without a type a module, and leaves a CommonJS package alone', async () => {
  const folder = ownFolder()
  const file = join(folder, 'package.json')
  await writeFile(file, '{ "dependencies": { "claviger": "1" } }')
  const { code, notes } = await claviger('init', folder)
  expect([code, notes]).toEqual([0, `Run it: cd ${folder} && npm install && node main.ts\n`])
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    type: 'module',
    dependencies: { claviger: '1' },
  })

  for (const [text, message] of [
    [
      '{ "type": "commonjs" }',
      'says "type": "commonjs": run npm pkg set type=module, or name another folder',
    ],
    ['{', 'is not JSON: '],
  ] as const) {
    const own = ownFolder()
    await writeFile(join(own, 'package.json'), text)
    const refused = await claviger('init', own)
    expect([refused.code, refused.notes]).toEqual([1, expect.stringContaining(message)])
    expect(await readdir(own)).toEqual(['package.json'])
    expect(await readFile(join(own, 'package.json'), 'utf8')).toBe(text)
  }
})

it('signs users in with a provider that the admin has added', async () => {
  const provider = await hostileProvider()
  onTestFinished(provider.close)
  const folder = await project()
  await shell('claviger init', { cwd: folder })
  const { origin, stop } = await serve(folder, { SIGN_IN: '1', ORIGIN: 'http://app.localhost' })
  const send = (path: string, { headers, ...init }: RequestInit = {}) => {
    const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    return fetch(`${origin}/${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...own, ...headers },
    })
  }
  expect((await send('?user=ben')).headers.get('location')).toBe('/sign-in')
  const idp = { idpId: 'sso', name: 'SSO', clientId: 'c1', clientSecret: 's' }
  const body = JSON.stringify({ ...idp, issuer: provider.issuer })
  const added = await send('admin/api/v1/idps/oidc', { method: 'POST', body })
  expect(added.status).toBe(200)
  expect(await (await send('sign-in')).text()).toContain('<form method="post" action="/sign-in">')

  const form = new URLSearchParams({ orgId: 'acme', idpId: 'sso' })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const begun = await send('sign-in', { method: 'POST', body: form, headers: type })
  const asked = new URL(begun.headers.get('location') ?? '').searchParams
  expect(asked.get('redirect_uri')).toBe('http://app.localhost/sign-in/callback/acme/sso')
  provider.state.nonce = asked.get('nonce') ?? ''
  const [attempt = ''] = begun.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const back = new URLSearchParams({ code: 'c', iss: provider.issuer })
  back.set('state', asked.get('state') ?? '')
  const finished = await send(`sign-in/callback/acme/sso?${back}`, { headers: { cookie: attempt } })
  expect([finished.status, finished.headers.get('location')]).toEqual([303, '/'])
  const [session = ''] = finished.headers.getSetCookie().map((cookie) => cookie.split(';')[0])

  const statusOf = async (cookie: string) => (await send('', { headers: { cookie } })).status
  expect(await statusOf(session)).toBe(403)
  const grant = {
    userId: `${provider.issuer} ann`,
    projectId: 'invoicing',
    roles: [{ roleKey: 'approver' }],
  }
  const given = { method: 'POST', body: JSON.stringify(grant) }
  expect((await send('admin/api/v1/userGrants', given)).status).toBe(200)
  expect([await statusOf(session), await statusOf('__Host-session=other')]).toEqual([200, 303])
  await stop()
})

it('overwrites no file', async () => {
  const folder = ownFolder()
  await writeFile(join(folder, 'iam.ts'), 'mine')
  const { code, notes } = await claviger('init', folder)
  expect([code, notes]).toEqual([1, 'claviger: iam.ts already exists: name another folder\n'])
  expect(await readdir(folder)).toEqual(['iam.ts'])
  expect(await readFile(join(folder, 'iam.ts'), 'utf8')).toBe('mine')
})

it('keeps the key and the database out of commits', async () => {
  const folder = ownFolder()
  expect((await claviger('init', folder)).code).toBe(0)
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('iam.key\niam.db\niam.db-*\n')

  const own = ownFolder()
  await writeFile(join(own, '.gitignore'), 'node_modules\n')
  const { code, notes } = await claviger('init', own)
  expect([code, notes]).toEqual([
    0,
    `Add to .gitignore: iam.key, iam.db, iam.db-*\nRun it: cd ${own} && npm install && node main.ts\n`,
  ])
  expect(await readFile(join(own, '.gitignore'), 'utf8')).toBe('node_modules\n')
})

it.each<[version: string, runs: boolean]>([
  ['20.20.2', false],
  ['22.13.0', false],
  ['22.17.1', false],
  ['22.18.0', true],
  ['23.5.0', false],
  ['23.6.0', true],
  ['24.0.0', true],
  ['26.1.0', true],
])('knows whether Node.js %s runs the files: %s', (node, runs) => {
  expect(runsTypeScript({ node })).toBe(runs)
  expect(runsTypeScript({ node, bun: '1.3.0' })).toBe(true)
})

/** A Node.js of the system that is too old to run the files. */
const OLD = '/usr/bin/node'
const isOld =
  existsSync(OLD) && /^v20\./.test(execFileSync(OLD, ['--version'], { encoding: 'utf8' }))

it.runIf(isOld)('says on Node.js 20 which version it needs, and writes nothing', async () => {
  const folder = join(ownFolder(), 'shop')
  const { code, out, notes } = await start(OLD, [PROGRAM, 'init', folder]).ended
  expect({ code, out, exists: existsSync(folder) }).toEqual({ code: 1, out: '', exists: false })
  expect(notes).toMatch(/^claviger: The files need Node\.js 22\.18 or later .* this is 20\./)
})
