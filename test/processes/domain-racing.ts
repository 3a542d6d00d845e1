import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { aesGcmCipher, createIam, orThrow, type RecordedEvent, verify } from '../../src/index.js'
import { CLAIMED, type Claims, type Task } from './claimer.js'
import { openPlace, type Place } from './writer.js'

const PROCESSES = 4
const ORGANIZATIONS_OF_EACH = 4
const MS = 1_500

const startProcess = async (task: Task) => {
  const folder = new URL('.', import.meta.url)
  const child = fork(new URL('claimer.ts', folder), [JSON.stringify(task)], { execArgv: [] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child, 'message')
  const told = Promise.race([once(child, 'message'), once(child, 'exit')])
  return { begin: () => child.send('go'), claims: async () => (await told)[0] as Claims }
}

/** Fails when two organizations held the domain at the same time. @returns who held it, in turn */
const holdersIn = (log: readonly RecordedEvent[]): readonly string[] => {
  const holders: string[] = []
  const appends = Map.groupBy(log, ({ appendId }) => appendId)
  let holder: string | undefined
  for (const { type, appendId, metadata } of log) {
    const orgId = metadata.resourceOwner
    const together = appends.get(appendId)?.map((event) => event.type)
    if (type === 'verified_domain.claimed') {
      expect(holder).toBeUndefined()
      expect(together).toEqual(['verified_domain.claimed', 'domain.verified'])
      holders.push(orgId)
      holder = orgId
    }
    if (type === 'verified_domain.released') {
      expect(holder).toBe(orgId)
      expect(together).toEqual(['verified_domain.released', 'domain.removed'])
      holder = undefined
    }
    if (type === 'domain.verified') expect(holder).toBe(orgId)
  }
  return holders
}

/** Lets 16 organizations verify the same domain and give it back, and holds what is left to the log. */
export const raceForDomain = async (place: Place): Promise<void> => {
  await using opened = await openPlace(place)
  const { store, readModel } = opened
  const racers = await Promise.all(
    Array.from({ length: PROCESSES }, (_, n) =>
      startProcess({
        place,
        first: n * ORGANIZATIONS_OF_EACH,
        organizations: ORGANIZATIONS_OF_EACH,
        ms: MS,
      }),
    ),
  )
  for (const { begin } of racers) begin()
  const claims = await Promise.all(racers.map((racer) => racer.claims()))
  const refusals = new Set(claims.flatMap((each) => each.refusals))
  expect([...refusals].toSorted()).toEqual(['add: AlreadyExists', 'verify: AlreadyExists'])

  expect((await verify(store)).isOk()).toBe(true)
  const log = await store.readAll(0n, 1_000_000)
  const holders = holdersIn(log)
  expect(holders).toHaveLength(claims.reduce((sum, { won }) => sum + won, 0))
  expect(new Set(holders).size).toBeGreaterThan(1)

  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const iam = createIam({ store, readModel, secrets, authorize: () => true })
  const last = holders.at(-1) ?? ''
  for (let n = 0; n < PROCESSES * ORGANIZATIONS_OF_EACH; n++) {
    const orgId = `org-${n}`
    const within = { caller: { userId: 'admin', orgId } }
    const { state } = await orThrow(iam.domains.get({ domain: CLAIMED }, within))
    expect([orgId, state]).toEqual([orgId, orgId === last ? 'verified' : 'pending'])
    const { items } = await orThrow(iam.history.list({ limit: 1000 }, within))
    const own = log.filter(
      ({ type, metadata }) => metadata.resourceOwner === orgId && type.startsWith('domain.'),
    )
    expect(items.map(({ sequence }) => sequence)).toEqual(
      own.slice(0, 1000).map(({ position }) => position),
    )
  }
  const within = { caller: { userId: 'admin', orgId: last } }
  const provider = { idpId: 'idp', name: 'n', clientId: 'c', clientSecret: 's', issuer: 'i' }
  await orThrow(iam.identityProviders.addOidc(provider, within))
  await orThrow(iam.domains.setProvider({ domain: CLAIMED, idpId: 'idp' }, within))
  const email = `anna@${CLAIMED}`
  expect(await orThrow(iam.domains.route({ email }))).toEqual({ orgId: last, idpId: 'idp' })
}
