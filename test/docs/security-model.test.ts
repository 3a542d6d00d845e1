import { globSync, readFileSync } from 'node:fs'
import { aesGcmCipher, createIam, memoryEventStore, memoryReadModel, orThrow } from 'claviger'
import { expect, it } from 'vitest'
import { methods } from '../../src/transport/wire.js'
import { openHost } from '../transport/http-client.js'

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'text/plain']

it('A form of another site can send only deactivate, reactivate, and revoke of a set-up link', async () => {
  const { call } = await openHost()
  const reached = new Set<string>()
  for (const { verb, path = '', service, name } of methods) {
    const asked = [
      [verb ?? 'POST', path.replaceAll(/\{\w+\}/g, 'any')],
      ['POST', `/${service}/${name}`],
    ] as const
    for (const [method, target] of asked)
      for (const type of FORMS)
        if (method === 'POST' && target !== '') {
          const { status } = await call('POST', target, '', { 'content-type': type })
          if (status !== 415) reached.add(name.replace(/(?<=ate)[A-Z]\w+$/, ''))
        }
  }
  expect([...reached].sort()).toEqual(['Deactivate', 'Reactivate', 'RevokeSetupLink'])
})

it('There are four dependencies, without install scripts, of which one has an optional native binary', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const used = Object.keys(lock.packages[''].dependencies)
  expect(used).toHaveLength(4)
  const packages = used.map((name) => lock.packages[`node_modules/${name}`])
  expect(packages.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([])
  expect(packages.flatMap(({ dependencies = {} }) => Object.keys(dependencies))).toEqual([])
  expect(packages.flatMap((each) => Object.keys(each.optionalDependencies ?? {}))).toEqual([
    '@rollup/rollup-linux-x64-gnu',
  ])
})

it('subscribe and catchUp ask nobody for a permission', async () => {
  const store = memoryEventStore()
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const caller = { userId: 'admin', orgId: 'acme' }
  const open = createIam({ store, secrets, authorize: () => true })
  await orThrow(open.projects.add({ name: 'Portal' }, { caller }))
  const closed = createIam({ store, secrets, authorize: () => false })
  expect((await closed.projects.list({}, { caller })).isErr()).toBe(true)
  const seen: string[] = []
  for await (const { type } of closed.subscribe({ until: 'head' })) seen.push(type)
  expect(seen).toEqual(['project.added'])
  expect((await closed.catchUp(memoryReadModel())).isOk()).toBe(true)
})

it('project.role.write alone writes any permission into a role that somebody already has', async () => {
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const authorize = ({ caller, permission }: { caller: { userId: string }; permission: string }) =>
    caller.userId === 'admin' || permission === 'project.role.write'
  const iam = createIam({ store: memoryEventStore(), secrets, authorize })
  const admin = { caller: { userId: 'admin', orgId: 'acme' } }
  const roles = [{ roleKey: 'reader', displayName: 'Reader', permissions: ['article.read'] }]
  await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, admin))
  await orThrow(iam.projectRoles.addMany({ projectId: 'portal', roles }, admin))
  const given = { userId: 'ada', projectId: 'portal', roles: [{ roleKey: 'reader' }] }
  await orThrow(iam.userGrants.add(given, admin))
  const ada = iam.access.of({ userId: 'ada', orgId: 'acme', projectId: 'portal' })
  expect(await ada.can('user.grant.write')).toBe(false)
  const patch = { projectId: 'portal', roleKey: 'reader', permissions: ['user.grant.write'] }
  const editor = { caller: { userId: 'editor', orgId: 'acme' } }
  expect((await iam.userGrants.give(given, editor)).isErr()).toBe(true)
  await orThrow(iam.projectRoles.patch(patch, editor))
  expect(await ada.can('user.grant.write')).toBe(true)
})

it('No source loads code from an address, or from a name that is made at run time', () => {
  const sources = globSync('src/**/*.{ts,tsx}').map((path) => readFileSync(path, 'utf8'))
  expect(sources.length).toBeGreaterThan(300)
  const loaded = sources.flatMap((text) => [
    ...text.matchAll(/(?<![.\w])(?:import|require)\(\s*(.*)|\bfrom (['"].*)/g),
  ])
  expect(loaded.length).toBeGreaterThan(1_000)
  const named = /^['"](?!\w+:\/\/|data:)[^'"]+['"]/
  expect(
    loaded.map(([, call, from]) => call ?? from ?? '').filter((name) => !named.test(name)),
  ).toEqual([])
})
