import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'

/** What messages are that JSON has in another form than their fields, by the names of the messages. */
export const WELL_KNOWN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.Value': {},
}

const CHANGES = [{ field: 'name', from: 'Portal', to: 'Shop' }]

/** Examples that say more than the type of a field does, by its name in JSON or by that of its message too. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  'FieldChange.field': 'name',
  'HistoryEntry.changes': CHANGES,
  'Planned.changes': CHANGES,
  'HistoryEntry.object': { type: 'project', id: 'portal' },
  'ApplyAccessResponse.undeclared': [{ type: 'project', id: 'portal' }],
  'ApplyAccessResponse.changes': [
    {
      action: 'update',
      object: { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
      fields: [{ field: 'displayName', from: 'Writer', to: 'Editor' }],
    },
  ],
  'CheckAccessResponse.reasons': [],
  'CheckLoginRequest.grantedOrgIds': [],
  'CheckLoginRequest.userRoleKeys': [],
  actor: 'alice',
  add: 0,
  after: '0',
  at: '2026-01-31T09:30:00.250Z',
  before: '1769851800250000',
  blocked: 0,
  changeDate: '2026-01-31T09:30:00.250Z',
  clientId: 'client-4711',
  clientSecret: 'a secret that the provider generated',
  contains: 'port',
  correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
  creationDate: '2026-01-01T08:00:00.000Z',
  displayName: 'Editor',
  equals: 'Portal',
  expiresAt: '2099-12-31T23:59:59.000Z',
  from: '2026-01-01T00:00:00.000Z',
  grantedOrgId: 'globex',
  grantedOrgIds: ['globex'],
  group: 'content',
  id: 'portal',
  idpId: '01JGFJJZ00V6RM8DHQ4B0H7SKP',
  including: 'roles',
  issuer: 'https://accounts.example.com',
  kind: 'Expired',
  managedBy: 'platform-team',
  name: 'Portal',
  nextAfter: '1769851800250000',
  nextBefore: '1769851800250000',
  nextPageToken: '',
  order: 'desc',
  orderBy: 'changeDate desc',
  orgId: 'acme',
  pageSize: 100,
  pageToken: '',
  permissions: ['project.read'],
  projectId: 'portal',
  projectOrgId: 'acme',
  remove: 0,
  resourceOwner: 'acme',
  roleKey: 'editor',
  roleKeys: ['editor'],
  scopes: ['openid', 'profile', 'email'],
  sequence: '1769851800250000',
  startsWith: 'Por',
  superseded: 0,
  time: '2026-01-31T09:30:00.250Z',
  to: '2026-02-01T00:00:00.000Z',
  totalSize: 1,
  type: 'project.updated',
  types: ['project.updated'],
  unchanged: 0,
  update: 1,
  userId: 'alice',
  userOrgId: 'acme',
  userRoleKeys: ['editor'],
  validateOnly: false,
  version: '12',
}

/** An example of a field. */
export const exampleOf = (field: DescField): unknown => {
  const own = EXAMPLES[`${field.parent.name}.${field.jsonName}`]
  if (own !== undefined) return own
  const example = exampleOfItem(field)
  return field.fieldKind === 'list' && !Array.isArray(example) ? [example] : example
}

const exampleOfItem = ({ jsonName, message, enum: choice, scalar }: DescField): unknown => {
  if (message && !(message.typeName in WELL_KNOWN)) return exampleOfMessage(message.fields)
  const named = EXAMPLES[jsonName]
  if (named !== undefined || message) return named
  // The first is the one that stands for no choice.
  if (choice) return choice.values[1]?.name
  return scalar === ScalarType.BOOL ? true : 'text'
}

/** An example of a message, or of some of its fields. */
export const exampleOfMessage = (fields: DescMessage['fields']): object =>
  Object.fromEntries(fields.map((field) => [field.jsonName, exampleOf(field)]))
