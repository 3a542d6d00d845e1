import { createHash } from 'node:crypto'
import {
  createIam,
  type EventStore,
  type HistoryPage,
  type Iam,
  type IamError,
  memoryReadModel,
  type Position,
  toJson,
} from 'claviger'
import type { Result } from 'neverthrow'
import { ORGANIZATIONS, PROJECTS, USERS } from './calls.ts'
import { type Host, secrets } from './host.ts'

/** What the read models of `hosts` and one that is built anew from the log disagree on. */
export const disagreements = async (
  hosts: readonly Host[],
  store: EventStore,
): Promise<readonly string[]> => {
  const anew = createIam({ store, readModel: memoryReadModel(), secrets, authorize: () => true })
  const problems: string[] = []
  for (const orgId of ORGANIZATIONS) {
    for (const [name, read] of readsOf(orgId)) {
      const expected = await read(anew)
      for (const { sound } of hosts) {
        if ((await read(sound)) !== expected) problems.push(`${name} of ${orgId} differ`)
      }
    }
  }
  return problems
}

type Read = (iam: Iam) => Promise<string>

const readsOf = (orgId: string): readonly (readonly [name: string, read: Read])[] => {
  const context = { caller: { userId: 'u1', orgId } }
  const all = { pageSize: 1_000 }
  const projects = Array.from({ length: PROJECTS }, (_, n) => `p${n}`)
  const users = Array.from({ length: USERS }, (_, n) => `u${n}`)
  return [
    ['providers', async (iam) => textOf(await iam.identityProviders.list(all, context))],
    ['projects', async (iam) => textOf(await iam.projects.list(all, context))],
    ...projects.map((projectId): readonly [string, Read] => [
      `roles of ${projectId}`,
      async (iam) => textOf(await iam.projectRoles.list({ ...all, projectId }, context)),
    ]),
    ['grants to users', async (iam) => textOf(await iam.userGrants.list(all, context))],
    ['received grants', async (iam) => textOf(await iam.projectGrants.listReceived(all, context))],
    ...projects.map((projectId): readonly [string, Read] => [
      `holders of ${projectId}`,
      async (iam) => textOf(await iam.access.whoHas({ ...all, projectId }, context)),
    ]),
    ...users.map((userId): readonly [string, Read] => [
      `roles of the user ${userId}`,
      async (iam) => textOf(await iam.access.rolesOf({ ...all, userId }, context)),
    ]),
    ['history', (iam) => wholeHistory(iam, orgId)],
  ]
}

const textOf = <Value>(answer: Result<Value, IamError>): string => {
  if (answer.isOk()) return JSON.stringify(toJson(answer.value))
  const { kind } = answer.error
  if (kind !== 'NotFound') throw new Error(`A read was refused: ${kind}`)
  return kind
}

const wholeHistory = async (iam: Iam, orgId: string): Promise<string> => {
  const context = { caller: { userId: 'u1', orgId } }
  const digest = createHash('sha256')
  let after: Position | undefined = 0n
  while (after !== undefined) {
    const page: Result<HistoryPage, IamError> = await iam.history.list(
      { after, limit: 1_000 },
      context,
    )
    digest.update(textOf(page))
    after = page.isOk() ? page.value.nextAfter : undefined
  }
  return digest.digest('hex')
}
