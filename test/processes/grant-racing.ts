import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { aesGcmCipher, createIam, orThrow, type RecordedEvent, verify } from '../../src/index.js'
import { NaiveModel } from '../application/access/naive-model.js'
import { type Answers, PLACES, type Task, USERS } from './granter.js'
import { openPlace, type Place } from './writer.js'

const PROCESSES = 4
const MS = 2_000

const acme = { caller: { userId: 'admin', orgId: 'acme' } }
const globex = { caller: { userId: 'admin', orgId: 'globex' } }
const portal = { projectId: 'portal' }

const iamOn = ({ store, readModel }: Awaited<ReturnType<typeof openPlace>>) => {
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  return createIam({ store, readModel, secrets, authorize: () => true })
}

/** The project that all fight for, with a role for each writer. */
const prepare = async (place: Place, writers: number): Promise<readonly string[]> => {
  await using opened = await openPlace(place)
  const iam = iamOn(opened)
  await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, acme))
  const own = Array.from({ length: writers }, (_, n) => `own-${n}`)
  const roles = ['base', 'editor', 'viewer', ...own].map((roleKey) => ({
    roleKey,
    displayName: roleKey,
  }))
  await orThrow(iam.projectRoles.addMany({ ...portal, roles }, acme))
  const grant = { ...portal, grantedOrgId: 'globex', roleKeys: ['editor', 'viewer'] }
  await orThrow(iam.projectGrants.add(grant, acme))
  const base = [{ roleKey: 'base' }]
  await orThrow(iam.userGrants.add({ userId: 'shared', ...portal, roles: base }, acme))
  for (const within of [acme, globex])
    await orThrow(
      iam.identityProviders.addOidc(
        {
          idpId: 'entra',
          name: 'e',
          clientId: 'c',
          clientSecret: 's',
          issuer: 'https://i.example',
        },
        within,
      ),
    )
  await orThrow(
    iam.roleMappings.add({ idpId: 'entra', group: 'admins', ...portal, roleKeys: ['base'] }, acme),
  )
  return own
}

/** Fails when something was recorded of a provider that was removed by then. */
const checkProviders = (log: readonly RecordedEvent[]): number => {
  const providers = new Set<string>()
  let reports = 0
  for (const { type, data, metadata } of log) {
    const provider = `${metadata.resourceOwner} ${Reflect.get(data, 'idpId')}`
    if (type === 'identity_provider.oidc_added') providers.add(provider)
    if (type === 'identity_provider.removed') providers.delete(provider)
    if (!/^(role_mapping|membership)\./.test(type)) continue
    expect(providers.has(provider), type).toBe(true)
    if (type === 'membership.reported') reports++
  }
  return reports
}

const startProcess = async (task: Task) => {
  const folder = new URL('.', import.meta.url)
  const child = fork(new URL('granter.ts', folder), [JSON.stringify(task)], { execArgv: [] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child, 'message')
  const told = Promise.race([once(child, 'message'), once(child, 'exit')])
  return { begin: () => child.send('go'), answers: async () => (await told)[0] as Answers }
}

/** Fails when a role was given in a life that was over, or not granted any more, when it was recorded. */
const checkLives = (log: readonly RecordedEvent[]): number => {
  const lives = new Map<string, number>()
  const grants = new Map<string, ReadonlyMap<string, number>>()
  const held = new Map<string, ReadonlySet<string>>()
  let given = 0
  for (const { stream, type, version, data, metadata } of log) {
    // biome-ignore lint/suspicious/noExplicitAny: what events hold is no matter of types here
    const { roleKey, roles = [] } = data as any
    if (type === 'project_role.added') lives.set(roleKey, version)
    if (type === 'project_role.removed') lives.delete(roleKey)
    if (stream.startsWith('project_grant-')) {
      const before = grants.get('globex') ?? new Map<string, number>()
      const after = new Map<string, number>()
      for (const role of roles) {
        expect(lives.get(role.roleKey)).toBe(role.roleSince)
        const key = `${role.roleKey} ${role.roleSince}`
        after.set(key, before.get(key) ?? version)
      }
      grants.set('globex', after)
    }
    if (!/^(user_grant|role_mapping)-/.test(stream)) continue
    const before = held.get(stream)
    const after = new Set<string>()
    for (const role of roles) {
      const { roleSince, grantSince } = role
      const key = `${role.roleKey} ${roleSince} ${grantSince}`
      after.add(key)
      if (before?.has(key)) continue
      given++
      expect(lives.get(role.roleKey)).toBe(roleSince)
      if (metadata.resourceOwner === 'globex')
        expect(grants.get('globex')?.get(`${role.roleKey} ${roleSince}`)).toBe(grantSince)
    }
    held.set(stream, after)
  }
  return given
}

/**
 * Fails when a grant or a membership that was recorded at or below the answered sequence had not been removed when
 * `removeAllOfUser` answered. A membership ends with its provider, too.
 */
const checkEmptied = (log: readonly RecordedEvent[], { emptied }: Answers): void => {
  for (const { orgId, userId, sequence, head } of emptied) {
    const remaining = new Set<string>()
    for (const { stream, type, position, data, metadata } of log) {
      if (position > BigInt(head)) break
      if (metadata.resourceOwner !== orgId) continue
      if (/^(user_grant|membership)-/.test(stream) && stream.endsWith(`+${userId}`)) {
        if (type.endsWith('.removed')) remaining.delete(stream)
        else if (position <= BigInt(sequence)) remaining.add(stream)
      }
      if (type === 'identity_provider.removed')
        for (const each of remaining)
          if (each.includes(`+${Reflect.get(data, 'idpId')}+`)) remaining.delete(each)
    }
    expect([...remaining]).toEqual([])
  }
}

/** Lets processes give and take roles at the same time, and holds what is left to the log. */
export const raceForGrants = async (place: Place, writersOfEach: number): Promise<void> => {
  const own = await prepare(place, PROCESSES * writersOfEach)
  const racers = await Promise.all(
    Array.from({ length: PROCESSES }, (_, n) =>
      startProcess({ place, first: n * writersOfEach, writers: writersOfEach, ms: MS }),
    ),
  )
  for (const { begin } of racers) begin()
  const answers = await Promise.all(racers.map((racer) => racer.answers()))
  expect(answers.reduce((sum, { won }) => sum + won, 0)).toBe(1)
  const refusals = new Set(answers.flatMap((answer) => answer.refusals))
  expect([...refusals].filter((kind) => !/^(NotFound|AlreadyExists)$/.test(kind))).toEqual([])

  await using opened = await openPlace(place)
  const iam = iamOn(opened)
  expect((await verify(opened.store)).isOk()).toBe(true)
  const log = await opened.store.readAll(0n, 1_000_000)
  expect(checkLives(log)).toBeGreaterThan(own.length)
  expect(checkProviders(log)).toBeGreaterThan(0)
  const onResources = log.filter(({ data }) => 'resource' in data).map(({ type }) => type)
  expect(onResources).toEqual(expect.arrayContaining(['user_grant.added', 'role_mapping.added']))
  expect(answers.some(({ emptied }) => emptied.length > 0)).toBe(true)
  for (const answer of answers) checkEmptied(log, answer)

  const model = new NaiveModel(log)
  const now = new Date()
  const { items } = await orThrow(iam.access.whoHas({ ...portal, pageSize: 1_000 }, acme))
  expect(items).toEqual(model.whoHas('acme', 'portal', undefined, now))
  const roles = await orThrow(iam.projectRoles.list({ ...portal, pageSize: 1_000 }, acme))
  const existing = new Set(roles.items.map(({ roleKey }) => roleKey))
  expect(items.filter(({ roleKey }) => !existing.has(roleKey))).toEqual([])
  const ofShared = items.filter(({ userId }) => userId === 'shared')
  expect(ofShared.map(({ roleKey }) => roleKey)).toEqual(['base', ...own].toSorted())
  for (const [orgId, within] of [
    ['acme', acme],
    ['globex', globex],
  ] as const)
    for (const userId of USERS)
      for (const roleKey of ['editor', 'viewer']) {
        const held = items.filter(
          (item) => item.userId === userId && item.orgId === orgId && item.roleKey === roleKey,
        )
        for (const place of PLACES) {
          const input = { userId, ...portal, projectOrgId: 'acme', roleKey, ...place }
          const { allowed } = await orThrow(iam.access.check(input, within))
          const there = [undefined, ...('resource' in place ? [place.resource] : [])]
          expect(allowed).toBe(held.some(({ resource }) => there.includes(resource)))
        }
      }
}
