import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'

/** What messages are that JSON has as texts, by the names of the messages. */
export const TEXTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.FieldMask': { type: 'string' },
}

/** Examples that say more than the type of a field does, by its name in JSON. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  changeDate: '2026-01-31T09:30:00.250Z',
  clientId: 'client-4711',
  clientSecret: 'a secret that the provider generated',
  contains: 'port',
  creationDate: '2026-01-01T08:00:00.000Z',
  displayName: 'Editor',
  equals: 'Portal',
  grantedOrgIds: ['globex'],
  group: 'content',
  id: 'portal',
  idpId: '01JGFJJZ00V6RM8DHQ4B0H7SKP',
  issuer: 'https://accounts.example.com',
  name: 'Portal',
  nextPageToken: '',
  orderBy: 'changeDate desc',
  pageSize: 100,
  pageToken: '',
  projectId: 'portal',
  resourceOwner: 'acme',
  roleKey: 'editor',
  scopes: ['openid', 'profile', 'email'],
  sequence: '1769851800250000',
  startsWith: 'Por',
  totalSize: 1,
  userOrgId: 'acme',
  userRoleKeys: ['editor'],
}

/** An example of a field. */
export const exampleOf = (field: DescField): unknown => {
  const named = EXAMPLES[field.jsonName]
  if (named !== undefined) return named
  const example = exampleOfValue(field)
  return field.fieldKind === 'list' ? [example] : example
}

const exampleOfValue = ({ message, enum: choice, scalar }: DescField): unknown => {
  // There is none of what JSON has as a text.
  if (message) return message.typeName in TEXTS ? undefined : exampleOfMessage(message.fields)
  // The first is the one that stands for no choice.
  if (choice) return choice.values[1]?.name
  return scalar === ScalarType.BOOL ? true : 'text'
}

/** An example of a message, or of some of its fields. */
export const exampleOfMessage = (fields: DescMessage['fields']): object =>
  Object.fromEntries(fields.map((field) => [field.jsonName, exampleOf(field)]))
