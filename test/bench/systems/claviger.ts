import {
  aesGcmCipher,
  createIam,
  type Iam,
  type LiveChecks,
  orThrow,
  PERMISSIONS,
  permissionsFromCaller,
  type ReadError,
  type ResultAsync,
} from 'claviger'
import { type OpenStore, STORES } from '../stores.ts'
import {
  HELD_ROLE,
  isHeld,
  type Job,
  newGrantOf,
  newRoleOf,
  type Open,
  ORG_ID,
  type Place,
  projectIdOf,
  questionOf,
  userIdOf,
  usersIn,
} from '../world.ts'
import { fill } from './fill.ts'

/** The caller of every call: permitted, in their own organization. */
export const CONTEXT = { caller: { userId: 'u1', orgId: ORG_ID, permissions: PERMISSIONS } }
const EVENTUAL = { ...CONTEXT, consistency: 'eventual' } as const

/** This library, bound to a store. */
export const bind = ({ store, readModel }: Pick<OpenStore, 'store' | 'readModel'>): Iam =>
  createIam({
    store,
    readModel,
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
    domains: { resolveTxt: async () => [], isPublicSuffix: () => false },
  })

/** The full public calls: permission check, validation, decision, append, outcome. */
export const claviger: Open = (place) => openOn(place, STORES[place.store]())

/** The same on a database with views, whose rows a write writes. */
export const withViews: Open = (place) => openOn(place, STORES[place.store]({ views: true }))

const openOn = async (place: Place, opening: Promise<OpenStore>): ReturnType<Open> => {
  const opened = await opening
  const iam = bind(opened)
  await fill(iam, opened, place, CONTEXT)
  const reached = await iam.catchUp(opened.readModel)
  if (reached.isErr()) throw new Error(reached.error.kind)
  const ending = new AbortController()
  // Begun where it is measured: beside it, a write waits until the live checks have seen it.
  let live: LiveChecks | undefined
  const roles = [{ roleKey: HELD_ROLE }]
  const add = async (index: number) =>
    (await iam.userGrants.add({ ...newGrantOf(index), roles }, CONTEXT)).isOk()
  const get = async ({ userId, projectId }: ReturnType<typeof newGrantOf>) => {
    const got = await iam.userGrants.get({ userId, projectId }, CONTEXT)
    return got.isOk() && got.value.userId === userId
  }
  const check = (context: typeof CONTEXT) => async (index: number) => {
    const checked = await iam.access.check(questionOf(index, place), context)
    return checked.isOk() && checked.value.allowed === isHeld(index)
  }
  const addRole = async (index: number) =>
    (await iam.projectRoles.add(newRoleOf(index), CONTEXT)).isOk()
  return {
    jobs: {
      'live check': {
        prepare: async () => {
          live ??= await orThrow(iam.access.live({ signal: ending.signal }))
        },
        call: (index) => {
          const { userId, projectId, roleKey } = questionOf(index, place)
          return live?.can({ orgId: ORG_ID, userId, projectId, roleKey }) === isHeld(index)
        },
      },
      'eventual check': { call: check(EVENTUAL) },
      check: { call: check(CONTEXT) },
      add: { call: add },
      'add, then get': {
        // What other rounds have added is not read in this one.
        prepare: async () => orThrow(iam.catchUp(opened.readModel)),
        call: async (index) => (await add(index)) && get(newGrantOf(index)),
      },
      get: { call: (index) => get(questionOf(index, place)) },
      'add role': { call: addRole },
      ...pagesOf(iam, place),
      rebuild: {
        prepare: opened.emptyReadModel,
        call: async () => (await iam.catchUp(opened.readModel)).isOk(),
        operations: place.grants,
      },
    },
    close: async () => {
      ending.abort()
      await opened.close()
    },
  }
}

/** Every list, a page a call, and what the log is asked. */
const pagesOf = (iam: Iam, place: Place): Readonly<Record<string, Job>> => {
  const paged = { pageSize: 20 }
  const projectId = projectIdOf(0)
  const projectInput = { projectId, ...paged }
  const userOf = (index: number) => userIdOf(index % usersIn(place))
  return {
    list: walk((page) => iam.userGrants.list({ ...paged, ...page }, CONTEXT)),
    'projects.list': walk((page) => iam.projects.list({ ...paged, ...page }, CONTEXT)),
    'projectRoles.list': walk((page) =>
      iam.projectRoles.list({ ...projectInput, ...page }, CONTEXT),
    ),
    'projectGrants.list': walk((page) =>
      iam.projectGrants.list({ ...projectInput, ...page }, CONTEXT),
    ),
    'identityProviders.list': walk((page) =>
      iam.identityProviders.list({ ...paged, ...page }, CONTEXT),
    ),
    'domains.list': walk((page) => iam.domains.list({ ...paged, ...page }, CONTEXT)),
    'access.whoHas': walk((page) =>
      iam.access.whoHas({ ...projectInput, roleKey: HELD_ROLE, ...page }, CONTEXT),
    ),
    'access.whoHas, all projects': walk((page) =>
      iam.access.whoHas({ ...paged, roleKey: HELD_ROLE, ...page }, CONTEXT),
    ),
    'access.rolesOf': {
      call: async (index) => {
        const held = await iam.access.rolesOf({ userId: userOf(index) }, CONTEXT)
        return held.isOk() && held.value.items.length > 0
      },
    },
    ...onResources(iam),
    'history.list': {
      call: async () => {
        const listed = await iam.history.list({ limit: 20, order: 'desc' }, CONTEXT)
        return listed.isOk() && listed.value.items.length === 20
      },
    },
    'history.list of a grant': {
      call: async (index) => {
        const { userId, projectId } = questionOf(index, place)
        const object = { type: 'user_grant', userId, projectId, projectOrgId: ORG_ID } as const
        const listed = await iam.history.list({ object }, CONTEXT)
        return listed.isOk() && listed.value.items.length === 1
      },
    },
  }
}

/** A user with roles on many resources. */
const KEEPER = 'keeper'
const RESOURCES = 1_000

/** What a host asks about its own resources. */
const onResources = (iam: Iam): Readonly<Record<string, Job>> => {
  const projectId = projectIdOf(0)
  let given: Promise<unknown> | undefined
  const prepare = async (): Promise<void> => {
    given ??= orThrow(
      iam.userGrants.import(
        {
          grants: Array.from({ length: RESOURCES }, (_, index) => ({
            userId: KEEPER,
            projectId,
            resource: `workspace:${index}`,
            roles: [{ roleKey: HELD_ROLE }],
          })),
        },
        CONTEXT,
      ),
    )
    await given
  }
  return {
    'check on a resource': {
      prepare,
      call: async (index) => {
        const question = { projectId, userId: KEEPER, roleKey: HELD_ROLE }
        const resource = `workspace:${index % RESOURCES}`
        const checked = await iam.access.check({ ...question, resource }, CONTEXT)
        return checked.isOk() && checked.value.allowed
      },
    },
    'access.scopesOf, 1,000 resources': {
      prepare,
      call: async () => {
        const asked = { userId: KEEPER, roleKey: HELD_ROLE, pageSize: RESOURCES }
        const found = await iam.access.scopesOf(asked, CONTEXT)
        return found.isOk() && found.value.items.length === RESOURCES
      },
    },
  }
}

/** A page, as every list answers it. */
interface ListedPage {
  readonly items: readonly unknown[]
  readonly nextPageToken?: string
}

/** Goes through a list page by page, and begins anew at its end. */
const walk = (list: (page: { pageToken?: string }) => ResultAsync<ListedPage, ReadError>): Job => {
  let next: string | undefined
  return {
    call: async () => {
      const listed = await list(next === undefined ? {} : { pageToken: next })
      if (listed.isErr()) return false
      next = listed.value.nextPageToken
      return listed.value.items.length > 0
    },
  }
}
