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

/** An event, and the fields that it gives another value; none when there is no object after it. */
type Step = readonly [event: AnyEvent, changed?: Row]

/** What happens to one object. */
interface Life {
  readonly ref: ObjectRef
  readonly steps: readonly Step[]
  /** What happened before, by organization: to what lies beside it, or has its name elsewhere. */
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

/** What may happen to the project `portal` but its end. */
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

/** What happens to one object of each type, in events of every type. */
export const LIVES: readonly Life[] = [
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

/** A moment of a life. */
interface Moment {
  /** What has just happened. */
  readonly event: RecordedEvent
  /** The object as it is read from now on; undefined when there is none. */
  readonly row: Row | undefined
  /** What the event changed. */
  readonly changes: readonly FieldChange[]
}

/** A log of the others of a life. */
export const othersOf = ({ others }: Life): Log => {
  const log = newLog()
  for (const [orgId, event] of others) log.record(orgId, event)
  return log
}

/** Records in `log` what happens in the organization `acme` to one object. */
export const live = (log: Log, { ref, steps }: Life): readonly Moment[] => {
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
    const told = Object.entries(changed ?? { state: 'removed' })
      .filter(([field]) => !(field in ref))
      .map(([field, to]) => ({ field, from: before?.[field], to }))
    return { event: recorded, row, changes: [...told, ...secretChange(event)] }
  })
}

const secretChange = ({ type, data }: AnyEvent): readonly FieldChange[] =>
  'clientSecret' in data && type !== 'identity_provider.secret_resealed'
    ? [{ field: 'clientSecret', changed: true }]
    : []
