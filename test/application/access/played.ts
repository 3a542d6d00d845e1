import fc from 'fast-check'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { type IamOptions, memoryEventStore, type RecordedEvent } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { searched } from '../../nightly.js'
import { type Iam, iamOn, logOf } from '../host.js'
import {
  anyStep,
  foundation,
  ORGS,
  PERMISSIONS,
  PROJECTS,
  RESOURCES,
  ROLES,
  START,
  STEP_MS,
  type Step,
  USERS,
} from './any-history.js'

export const HISTORIES = Number(process.env['FUZZ_RUNS'] ?? searched({ short: 24, nightly: 60 }))

/** What the library was asked, and the model of what was recorded. */
interface World {
  readonly iam: Iam
  readonly log: readonly RecordedEvent[]
  readonly now: Date
}

/** Opens ports with a clock. */
type Open = (now: () => Date) => Pick<IamOptions, 'store' | 'readModel'>

export const HOMES: readonly (readonly [name: string, Open, share: number])[] = [
  ['memory', (now) => ({ store: memoryEventStore({ now }) }), 1],
  ['SQLite', (now) => openSqlite(temporaryFile(), { now }), 0.2],
]

/** Plays a history, with a clock that steps. */
export const played = async (steps: readonly Step[], open: Open): Promise<World> => {
  let time = START.getTime()
  const now = () => new Date(time)
  const { store, ...ports } = open(now)
  const iam = iamOn(store, { ...ports, now, authorize: () => true })
  for (const step of foundation) await step(iam)
  for (const step of steps) {
    time += STEP_MS
    await step(iam)
  }
  return { iam, log: await logOf(store), now: new Date(time) }
}

export const histories = fc.array(anyStep, { minLength: 20, maxLength: 80 })

export const everyCheck = ORGS.flatMap((orgId) =>
  ORGS.flatMap((projectOrgId) =>
    PROJECTS.flatMap((projectId) =>
      USERS.flatMap((userId) => {
        const whole = { orgId, projectOrgId, projectId, userId }
        return [whole, ...RESOURCES.map((resource) => ({ ...whole, resource }))]
      }),
    ),
  ),
)

/** One role, one permission, or neither. */
export const questions = [
  {},
  ...ROLES.map((roleKey) => ({ roleKey })),
  ...[...PERMISSIONS, 'unknown'].map((permission) => ({ permission })),
]

export const byKind = <Check extends { readonly reasons: readonly { readonly kind: string }[] }>(
  check: Check,
) => ({ ...check, reasons: check.reasons.map(({ kind }) => kind).toSorted() })
