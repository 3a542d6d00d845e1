import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runsTypeScript } from '../../src/cli/commands/init.js'
import { hostileProvider } from '../oidc/hostile-provider.js'
import { claviger, ownFolder, shell, start } from './command-line.js'

const root = resolve(import.meta.dirname, '../..')

/** A folder in which the package is installed. */
const project = async (): Promise<string> => {
  const folder = ownFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/claviger'))
  return folder
}

it('writes a server that guards a route and serves the console', async () => {
  const folder = await project()
  const { code, out } = await shell('claviger init', { cwd: folder })
  expect([code, out]).toEqual([0, 'access.ts\niam.ts\nmain.ts\nsign-in.ts\n'])

  for (const attempt of ['the first start', 'another start']) {
    const running = start(process.execPath, ['main.ts'], { cwd: folder, env: { PORT: '0' } })
    const [address = ''] = (await running.first()).split('?')
    const statusOf = async (path: string) => (await fetch(`${address}${path}`)).status
    const statuses = [
      await statusOf('?user=ada'),
      await statusOf('?user=bob'),
      await statusOf('admin/'),
    ]
    expect(statuses, attempt).toEqual([200, 403, 200])
    running.child.kill('SIGTERM')
    await once(running.child, 'close')
  }
})

it('signs users in with a provider that the admin has added', async () => {
  const provider = await hostileProvider()
  onTestFinished(provider.close)
  const folder = await project()
  await shell('claviger init', { cwd: folder })
  const running = start(process.execPath, ['main.ts'], {
    cwd: folder,
    env: { PORT: '0', SIGN_IN: '1', ORIGIN: 'http://app.localhost' },
  })
  const [address = ''] = (await running.first()).split('?')
  const send = (path: string, { headers, ...init }: RequestInit = {}) => {
    const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    return fetch(`${address}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...own, ...headers },
    })
  }
  expect((await send('?user=ada')).headers.get('location')).toBe('/sign-in')
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
    projectId: 'app',
    roles: [{ roleKey: 'editor' }],
  }
  const given = { method: 'POST', body: JSON.stringify(grant) }
  expect((await send('admin/api/v1/userGrants', given)).status).toBe(200)
  expect([await statusOf(session), await statusOf('__Host-session=other')]).toEqual([200, 303])
  running.child.kill('SIGTERM')
  await once(running.child, 'close')
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
    `Add to .gitignore: iam.key, iam.db, iam.db-*\nRun it: cd ${own} && node main.ts\n`,
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
