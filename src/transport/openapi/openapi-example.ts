import type { DescField, DescMessage } from '@bufbuild/protobuf'

/** What messages are that JSON has as texts, by the names of the messages. */
export const TEXTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.FieldMask': { type: 'string' },
}

/** An example of every field, by its name in JSON. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  autoRegister: true,
  changeDate: '2026-01-31T09:30:00.250Z',
  clientId: 'client-4711',
  clientSecret: 'a secret that the provider generated',
  contains: 'port',
  creationDate: '2026-01-01T08:00:00.000Z',
  displayName: 'Editor',
  displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  equals: 'Portal',
  grantedOrgIds: ['globex'],
  group: 'content',
  hasProjectCheck: true,
  id: 'portal',
  idpId: '01JGFJJZ00V6RM8DHQ4B0H7SKP',
  ignoreCase: true,
  issuer: 'https://accounts.example.com',
  name: 'Portal',
  nextPageToken: '',
  orderBy: 'changeDate desc',
  pageSize: 100,
  pageToken: '',
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  projectId: 'portal',
  projectRoleAssertion: true,
  projectRoleCheck: true,
  resourceOwner: 'acme',
  roleKey: 'editor',
  scopes: ['openid', 'profile', 'email'],
  sequence: '1769851800250000',
  startsWith: 'Por',
  state: 'STATE_ACTIVE',
  stylingType: 'STYLING_TYPE_GOOGLE',
  totalSize: 1,
  userOrgId: 'acme',
  userRoleKeys: ['editor'],
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
}

/** An example of a field. */
export const exampleOf = (field: DescField): unknown => {
  if (!field.message || field.message.typeName in TEXTS) return EXAMPLES[field.jsonName]
  const example = exampleOfMessage(field.message.fields)
  return field.fieldKind === 'list' ? [example] : example
}

/** An example of a message, or of some of its fields. */
export const exampleOfMessage = (fields: DescMessage['fields']): object =>
  Object.fromEntries(fields.map((field) => [field.jsonName, exampleOf(field)]))
