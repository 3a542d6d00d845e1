import type { AnyEvent } from '../../../domain/kinds.js'
import { IdpId, type ObjectRef, ProjectId, RoleKey } from '../../../domain/values.js'
import { type RecordedEvent, timeOf } from '../../../ports/event-store.js'
import type { FieldChange } from '../../../ports/read-model.js'
import {
  idpAdded,
  type Log,
  newLog,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './log.js'

/** Fields of an object as it is read. */
export type Row = Readonly<Record<string, unknown>>

/** An event, and the fields that it changes; absent when it removes the object. */
type Step = readonly [event: AnyEvent, changed?: Row]

/** A sequence of events of one object. */
interface Scenario {
  readonly ref: ObjectRef
  readonly steps: readonly Step[]
  /** Earlier events, by organization: of neighbours, and of objects with the same name elsewhere. */
  readonly others: readonly (readonly [orgId: string, event: AnyEvent])[]
}

const idpId = IdpId.parse('google')
const { clientSecret, ...provider } = idpAdded(idpId).data
const oidc = {
  clientId: 'other',
  issuer: '',
  scopes: [],
  displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
} as const
const appearance = {
  name: 'Renamed',
  stylingType: 'STYLING_TYPE_UNSPECIFIED',
  autoRegister: false,
} as const

const OF_PROVIDER: readonly Step[] = [
  [idpAdded(idpId), { ...provider, state: 'active' }],
  [{ type: 'identity_provider.oidc_config_updated', data: { idpId, ...oidc } }, oidc],
  [{ type: 'identity_provider.oidc_config_updated', data: { idpId, ...oidc, clientSecret } }, {}],
  [{ type: 'identity_provider.updated', data: { idpId, ...appearance } }, appearance],
  [{ type: 'identity_provider.deactivated', data: { idpId } }, { state: 'inactive' }],
  [{ type: 'identity_provider.secret_resealed', data: { idpId, clientSecret } }, {}],
  [{ type: 'identity_provider.reactivated', data: { idpId } }, { state: 'active' }],
  [{ type: 'identity_provider.removed', data: { idpId } }],
]

const id = ProjectId.parse('portal')
const settings = {
  name: 'Renamed',
  projectRoleAssertion: false,
  projectRoleCheck: true,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

/** Events of the project `portal` that change it and do not remove it. */
export const PROJECT_CHANGES: readonly Step[] = [
  [{ type: 'project.updated', data: { id, ...settings } }, settings],
  [{ type: 'project.deactivated', data: { id } }, { state: 'inactive' }],
  [{ type: 'project.reactivated', data: { id } }, { state: 'active' }],
]

const OF_PROJECT: readonly Step[] = [
  [projectAdded(id), { ...projectAdded(id).data, state: 'active' }],
  ...PROJECT_CHANGES,
  [projectRemoved(id)],
]

const role = { projectId: id, roleKey: RoleKey.parse('editor') }
const shown = { displayName: 'Chief editor', group: 'content' }
const added = { ...role, displayName: 'editor', group: '', state: 'active' }

const OF_ROLE: readonly Step[] = [
  [roleAdded(id, 'editor'), added],
  [roleUpdated(id, 'editor', shown), shown],
  [roleRemoved(id, 'editor')],
  [roleAdded(id, 'editor'), added],
]

/** One for each type of object; together they have events of every type. */
export const SCENARIOS: readonly Scenario[] = [
  {
    ref: { type: 'identity_provider', idpId },
    steps: OF_PROVIDER,
    others: [
      ['acme', idpAdded('next')],
      ['other', idpAdded(idpId)],
    ],
  },
  {
    ref: { type: 'project', id },
    steps: OF_PROJECT,
    others: [
      ['acme', projectAdded('shop')],
      ['other', projectAdded(id)],
    ],
  },
  {
    ref: { type: 'project_role', ...role },
    steps: OF_ROLE,
    others: [
      ['acme', projectAdded(id)],
      ['acme', roleAdded(id, 'reader')],
      ['other', projectAdded(id)],
      ['other', roleAdded(id, role.roleKey)],
    ],
  },
]

/** An event of a scenario, and what is read after it. */
interface Moment {
  readonly event: RecordedEvent
  /** The object after it; undefined when there is none. */
  readonly row: Row | undefined
  /** What the event changed. */
  readonly changes: readonly FieldChange[]
}

/** A log of the events before a scenario. */
export const logBefore = ({ others }: Scenario): Log => {
  const log = newLog()
  for (const [orgId, event] of others) log.record(orgId, event)
  return log
}

/** Records the events of a scenario in `log`, in the organization `acme`. */
export const play = (log: Log, { ref, steps }: Scenario): readonly Moment[] => {
  let row: Row | undefined
  let creationDate: Date | undefined
  return steps.map(([event, changed]) => {
    const recorded = log.record('acme', event)
    const changeDate = timeOf(recorded.position)
    const before = row
    if (before === undefined) creationDate = changeDate
    const sequence = recorded.position
    const details = { sequence, creationDate, changeDate, resourceOwner: 'acme' }
    row = changed && { ...before, ...changed, details }
    const changes = Object.entries(changed ?? { state: 'removed' })
      .filter(([field]) => !(field in ref))
      .map(([field, to]) => ({ field, from: before?.[field], to }))
    return { event: recorded, row, changes: [...changes, ...secretChange(event)] }
  })
}

const secretChange = ({ type, data }: AnyEvent): readonly FieldChange[] =>
  'clientSecret' in data && type !== 'identity_provider.secret_resealed'
    ? [{ field: 'clientSecret', changed: true }]
    : []
