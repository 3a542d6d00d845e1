import type { DescField, DescMessage } from '@bufbuild/protobuf'

/** What messages are that JSON has in another form than their fields, by the names of the messages. */
export const WELL_KNOWN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.Value': {},
}

const CHANGES = [{ field: 'name', from: 'Portal', to: 'Shop' }]

/** An example of every field, by its name in JSON or by that of its message too. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  'FieldChange.field': 'name',
  'HistoryEntry.changes': CHANGES,
  'Planned.changed': true,
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
  actor: 'alice',
  add: 0,
  after: '0',
  autoRegister: true,
  before: '1769851800250000',
  blocked: 0,
  changeDate: '2026-01-31T09:30:00.250Z',
  clientId: 'client-4711',
  clientSecret: 'a secret that the provider generated',
  contains: 'port',
  correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
  creationDate: '2026-01-01T08:00:00.000Z',
  displayName: 'Editor',
  displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  equals: 'Portal',
  from: '2026-01-01T00:00:00.000Z',
  grantedOrgIds: ['globex'],
  group: 'content',
  hasProjectCheck: true,
  id: 'portal',
  idpId: '01JGFJJZ00V6RM8DHQ4B0H7SKP',
  ignoreCase: true,
  including: 'roles',
  issuer: 'https://accounts.example.com',
  managedBy: 'platform-team',
  name: 'Portal',
  nextBefore: '1769851800250000',
  nextPageToken: '',
  order: 'desc',
  orderBy: 'changeDate desc',
  orgId: 'acme',
  pageSize: 100,
  pageToken: '',
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  projectId: 'portal',
  projectRoleAssertion: true,
  projectRoleCheck: true,
  prune: true,
  remove: 0,
  resourceOwner: 'acme',
  roleKey: 'editor',
  scopes: ['openid', 'profile', 'email'],
  sequence: '1769851800250000',
  startsWith: 'Por',
  state: 'STATE_ACTIVE',
  stylingType: 'STYLING_TYPE_GOOGLE',
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
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
}

/** An example of a field. */
export const exampleOf = (field: DescField): unknown => {
  const own = EXAMPLES[`${field.parent.name}.${field.jsonName}`]
  if (own !== undefined) return own
  if (!field.message || field.message.typeName in WELL_KNOWN) return EXAMPLES[field.jsonName]
  const example = exampleOfMessage(field.message.fields)
  return field.fieldKind === 'list' ? [example] : example
}

/** An example of a message, or of some of its fields. */
export const exampleOfMessage = (fields: DescMessage['fields']): object =>
  Object.fromEntries(fields.map((field) => [field.jsonName, exampleOf(field)]))
