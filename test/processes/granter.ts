// A process that gives and takes roles: started with a `Task` as its argument, it begins when its parent says so.
import { once } from 'node:events'
import { aesGcmCipher, createIam, type Iam } from 'claviger'
import { openPlace, type Place } from './writer.ts'

/** What a process does. */
export interface Task {
  readonly place: Place
  /** Number of the first of its writers. */
  readonly first: number
  /** Each with a memory of its own. */
  readonly writers: number
  /** How long each of them writes at least. A slow machine takes longer, for {@link LEAST_STEPS}. */
  readonly ms: number
}

/** What the writers of a process were answered. */
export interface Answers {
  /** How many of them added the grant that all of them add first. */
  readonly won: number
  /** Kinds of refusals. */
  readonly refusals: readonly string[]
  /** What removals of all grants of a user were answered. */
  readonly emptied: readonly Emptied[]
}

/** An answer of `removeAllOfUser`. Positions are in digits. */
interface Emptied {
  readonly orgId: string
  readonly userId: string
  /** Whatever was recorded of the user up to here had been removed when the call answered. */
  readonly sequence: string
  /** The head of the log right after the answer. */
  readonly head: string
}

/** Steps of each writer after which everything has had its turn, reports of each set of groups as well. */
const LEAST_STEPS = 48

export const USERS = ['u1', 'u2']
/** What roles are given on: the whole project, and a resource of it. */
export const PLACES = [{}, { resource: 'workspace:42' }]
const ROLES = ['editor', 'viewer']

const acme = { caller: { userId: 'admin', orgId: 'acme' } }
const globex = { caller: { userId: 'admin', orgId: 'globex' } }
const portal = { projectId: 'portal' }
const granted = { ...portal, grantedOrgId: 'globex' }

const pick = (from: readonly string[], n: number): string => from[n % from.length] ?? ''

const placeAt = (n: number): (typeof PLACES)[number] => PLACES[n % PLACES.length] ?? {}

const GROUPS = ['admins', 'staff']

const oidc = { clientId: 'c', clientSecret: 's', issuer: 'https://idp.example' }

/** What a writer does with groups: one adds and removes providers, one maps groups, the others report members. */
const groupStep = (iam: Iam, writer: number, n: number) => {
  const within = n % 2 === 0 ? acme : globex
  const idpId = n % 4 < 2 ? 'entra' : `idp-${n >> 5}`
  const group = pick(GROUPS, n >> 2)
  const mapping = { idpId, group, ...portal, projectOrgId: 'acme', ...placeAt(n >> 3) }
  const roleKeys = [pick(ROLES, n >> 3)]
  if (writer % 4 === 0)
    switch ((n >> 2) % 4) {
      case 0:
        return iam.identityProviders.addOidc({ idpId, name: idpId, ...oidc }, within)
      case 1:
        return iam.identityProviders.deactivate({ idpId: 'entra' }, within)
      case 2:
        return iam.identityProviders.reactivate({ idpId: 'entra' }, within)
      default:
        return iam.identityProviders.remove({ idpId: `idp-${n >> 5}` }, within)
    }
  if (writer % 4 === 1)
    switch ((n >> 1) % 4) {
      case 0:
      case 1:
        return iam.roleMappings.add({ ...mapping, roleKeys }, within)
      case 2:
        return iam.roleMappings.update({ ...mapping, roleKeys: ROLES }, within)
      default:
        return iam.roleMappings.remove(mapping, within)
    }
  const groups = GROUPS.filter((_, index) => ((n >> (index + 2)) & 1) === 1)
  return iam.memberships.report({ idpId, userId: pick(USERS, n >> 4), groups }, within)
}

/** What a writer does in turn: one removes roles, one narrows the grant of the project, the others give roles. */
const step = (iam: Iam, writer: number, n: number) => {
  if (n % 3 === 2) return groupStep(iam, writer, Math.floor(n / 3))
  const roleKey = pick(ROLES, n >> 1)
  if (writer % 4 === 0)
    return n % 2 === 0
      ? iam.projectRoles.remove({ ...portal, roleKey }, acme)
      : iam.projectRoles.add({ ...portal, roleKey, displayName: roleKey }, acme)
  if (writer % 4 === 1)
    switch (n % 4) {
      case 0:
        return iam.projectGrants.update({ ...granted, roleKeys: [roleKey] }, acme)
      case 1:
        return iam.projectGrants.update({ ...granted, roleKeys: ROLES }, acme)
      case 2:
        return iam.projectGrants.remove(granted, acme)
      default:
        return iam.projectGrants.add({ ...granted, roleKeys: ROLES }, acme)
    }
  const user = { userId: pick(USERS, n), ...portal, projectOrgId: 'acme', ...placeAt(n >> 2) }
  const within = writer % 4 === 2 ? acme : globex
  const roles = [{ roleKey }]
  switch (n % 6) {
    case 0:
    case 1:
      return iam.userGrants.add({ ...user, roles }, within)
    case 2:
    case 3:
      return iam.userGrants.addRoles({ ...user, roles }, within)
    case 4:
      return iam.userGrants.update({ ...user, roles }, within)
    default:
      return iam.userGrants.removeRoles({ ...user, roleKeys: [roleKey] }, within)
  }
}

const run = async ({ place, first, writers, ms }: Task): Promise<void> => {
  const { store, close } = await openPlace(place)
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const refusals = new Set<string>()
  const emptied: Emptied[] = []
  let won = 0
  const write = async (writer: number): Promise<void> => {
    const iam = createIam({ store, secrets, authorize: () => true })
    const base = [{ roleKey: 'base' }]
    const once = await iam.userGrants.add({ userId: 'one', ...portal, roles: base }, acme)
    if (once.isOk()) won++
    const own = [{ roleKey: `own-${writer}` }]
    const added = await iam.userGrants.addRoles({ userId: 'shared', ...portal, roles: own }, acme)
    if (added.isErr()) refusals.add(`addRoles: ${added.error.kind}`)
    const until = performance.now() + ms
    for (let n = 0; n < LEAST_STEPS || performance.now() < until; n++) {
      if (writer % 4 > 1 && n % 8 === 7) {
        const userId = pick(USERS, n >> 3)
        const within = writer % 4 === 2 ? acme : globex
        const removed = await iam.userGrants.removeAllOfUser({ userId }, within)
        const { orgId } = within.caller
        if (removed.isErr()) refusals.add(removed.error.kind)
        else {
          const { sequence } = removed.value
          const head = (await iam.head())._unsafeUnwrap()
          emptied.push({ orgId, userId, sequence: String(sequence), head: String(head) })
        }
        continue
      }
      const outcome = await step(iam, writer, n)
      if (outcome.isErr()) refusals.add(outcome.error.kind)
    }
  }
  process.send?.('ready')
  await once(process, 'message')
  await Promise.all(Array.from({ length: writers }, (_, n) => write(first + n)))
  await close()
  const answers: Answers = { won, refusals: [...refusals], emptied }
  process.send?.(answers)
  process.disconnect()
}

const [script, argument] = process.argv.slice(1)
if (argument !== undefined && script?.endsWith('granter.ts')) await run(JSON.parse(argument))
