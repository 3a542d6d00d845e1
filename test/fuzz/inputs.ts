import fc from 'fast-check'

/** How often each property is tried; `FUZZ_RUNS` says otherwise. */
export const numRuns = Number(process.env['FUZZ_RUNS'] ?? 5_000)

/** Text at the edges of what is allowed, and beyond. */
export const awkwardText = fc.oneof(
  fc.constantFrom('a', 'b', 'Ü'),
  fc.string({ unit: 'binary', maxLength: 210 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\uD800',
    '🔑'.repeat(200),
    '🔑'.repeat(201),
    '__proto__',
    '+',
    '/',
  ),
  fc.string({ minLength: 199, maxLength: 202 }),
)

/** Any value at all that JSON or a careless caller may hold. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  awkwardText,
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withMap: true }),
)

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Ids that are taken, free, too long and malformed. */
export const ids = fc.constantFrom('portal', 'google', 'x'.repeat(64), 'x'.repeat(65), 'a+b', '')
const mapping = fc.constantFrom('OIDC_MAPPING_FIELD_EMAIL', 'OIDC_MAPPING_FIELD_UNSPECIFIED')

const paged = {
  pageSize: fc.integer({ min: -1, max: 1_001 }),
  pageToken: fc.option(awkwardText, { nil: undefined, freq: 1 }),
}
const page = {
  sort: fc.array(fc.record({ field: fc.constantFrom('state', 'sequence', 'none') }), {
    maxLength: 2,
  }),
  ...paged,
}
const textFilter = fc.record(
  { equals: awkwardText, contains: awkwardText, ignoreCase: fc.boolean() },
  { requiredKeys: [] },
)
const shown = { displayName: awkwardText, group: awkwardText }
const role = { roleKey: awkwardText, ...shown }
const oidc = {
  clientId: awkwardText,
  clientSecret: awkwardText,
  issuer: awkwardText,
  scopes: fc.array(fc.constantFrom('openid', 'email', 'a b', ''), { maxLength: 101 }),
  usernameMapping: mapping,
  displayNameMapping: mapping,
}
const appearance = { name: awkwardText, autoRegister: fc.boolean() }
const settings = { name: awkwardText, projectRoleCheck: fc.boolean() }
const object = fc.oneof(
  fc.record({ type: fc.constant('project'), id: ids }),
  fc.record({ type: fc.constant('identity_provider'), idpId: ids }),
  fc.record({ type: fc.constant('project_role'), projectId: ids, roleKey: awkwardText }),
  fc.record({ type: fc.constant('project_grant'), projectId: ids, grantedOrgId: ids }),
  fc.record({ type: fc.constant('user_grant'), projectId: ids, userId: awkwardText }),
)
/** Mostly that of a role which is there. */
const roleKey = fc.oneof({ weight: 3, arbitrary: fc.constant('b') }, awkwardText)
const roleKeys = fc.array(roleKey, { maxLength: 3 })
const owner = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(undefined, 'acme') }, ids)
const givenRole = fc.record(
  { roleKey, expiresAt: fc.date({ noInvalidDate: false }) },
  { requiredKeys: ['roleKey'] },
)
const userGrant = {
  userId: awkwardText,
  projectId: ids,
  projectOrgId: owner,
  resource: fc.option(awkwardText, { nil: undefined }),
}
const projectGrant = { projectId: ids, grantedOrgId: ids }
const some = (shape: Fields, required: string) =>
  fc.array(fc.record(shape, { requiredKeys: [required] }), { maxLength: 3 })
const desired = {
  projects: some(
    {
      id: ids,
      name: awkwardText,
      settings: fc.record({ projectRoleCheck: fc.boolean() }),
      roles: fc.array(fc.record(role, { requiredKeys: ['roleKey'] }), { maxLength: 4 }),
      grants: fc.array(fc.record({ grantedOrgId: ids, roleKeys }), { maxLength: 2 }),
    },
    'id',
  ),
  identityProviders: some({ idpId: ids, ...appearance, ...oidc }, 'idpId'),
  managedBy: awkwardText,
  prune: fc.boolean(),
  version: fc.integer({ min: 0, max: 3 }),
}

/** What the fields of each input may look like; `''` is for a method without a shape of its own. */
const SHAPES: Readonly<Record<string, Fields>> = {
  'identityProviders.addOidc': { idpId: ids, ...appearance, ...oidc },
  'identityProviders.updateOidcConfig': { idpId: ids, ...oidc },
  'identityProviders.update': { idpId: ids, ...appearance },
  'identityProviders.list': { filter: fc.record({ name: textFilter }), ...page },
  'projects.add': { id: ids, ...settings },
  'projects.update': { id: ids, ...settings },
  'projects.list': { filter: fc.record({ name: textFilter }), ...page },
  'projects.checkLogin': { id: ids, userOrgId: ids, userRoleKeys: fc.array(awkwardText) },
  'projectRoles.add': { projectId: ids, ...role },
  'projectRoles.update': { projectId: ids, ...role },
  'projectRoles.remove': { projectId: ids, roleKey: awkwardText },
  'projectRoles.get': { projectId: ids, roleKey: awkwardText },
  'projectRoles.addMany': { projectId: ids, roles: fc.array(fc.record(role), { maxLength: 4 }) },
  'projectRoles.import': { projectId: ids, roles: fc.array(fc.record(role), { maxLength: 4 }) },
  'projectRoles.list': { projectId: ids, filter: fc.record({ roleKey: textFilter }), ...page },
  'projectGrants.add': { ...projectGrant, roleKeys },
  'projectGrants.update': { ...projectGrant, roleKeys },
  'projectGrants.list': { projectId: ids, filter: fc.record({ roleKey: textFilter }), ...page },
  'projectGrants.listReceived': {
    filter: fc.record({ roleKey: textFilter, projectId: textFilter, projectOrgId: textFilter }),
    ...page,
  },
  'projectGrants.getReceived': { projectId: ids, projectOrgId: ids },
  'userGrants.add': { ...userGrant, roles: fc.array(givenRole, { maxLength: 3 }) },
  'userGrants.update': { ...userGrant, roles: fc.array(givenRole, { maxLength: 3 }) },
  'userGrants.addRoles': { ...userGrant, roles: fc.array(givenRole, { maxLength: 3 }) },
  'userGrants.removeRoles': { ...userGrant, roleKeys },
  'userGrants.removeAllOfUser': { userId: awkwardText },
  'userGrants.removeAllOfResource': { projectId: ids, projectOrgId: owner, resource: awkwardText },
  'userGrants.import': {
    grants: fc.array(fc.record({ ...userGrant, roles: fc.array(givenRole, { maxLength: 2 }) })),
  },
  'userGrants.list': { filter: fc.record({ userId: textFilter, roleKey: textFilter }), ...page },
  'access.check': { ...userGrant, roleKey: awkwardText },
  'access.rolesOf': { userId: awkwardText, projectId: owner, ...paged },
  'access.scopesOf': { userId: awkwardText, roleKey: awkwardText, projectId: owner, ...paged },
  'access.whoHas': {
    projectId: ids,
    projectOrgId: ids,
    roleKey: awkwardText,
    at: fc.date(),
    ...paged,
  },
  'access.users': {
    userIds: fc.array(awkwardText),
    projectId: owner,
    projectOrgId: ids,
    roleKey: awkwardText,
    permission: awkwardText,
    at: fc.date(),
    ...paged,
  },
  'projects.roleClaims': { id: ids, userId: awkwardText, userOrgId: ids },
  'history.list': {
    object,
    including: fc.constantFrom('roles', undefined),
    actor: awkwardText,
    order: fc.constantFrom('asc', 'desc'),
    after: fc.bigInt(),
    before: fc.bigInt(),
    time: fc.record({ from: fc.date(), to: fc.date() }, { requiredKeys: [] }),
    limit: fc.integer(),
  },
  'history.stateAt': { object, sequence: fc.bigInt({ min: 0n, max: 2n ** 65n }) },
  'iam.plan': desired,
  'iam.apply': desired,
}
const byId = (method: string): Fields => {
  if (method.startsWith('identityProviders')) return { idpId: ids }
  if (method.startsWith('projectGrants')) return projectGrant
  return method.startsWith('userGrants') ? userGrant : { id: ids }
}

/** An input of `method`: mostly well-formed, or with one field too few, too many or of junk. */
export const inputsOf = (method: string): fc.Arbitrary<unknown> => {
  const fields = SHAPES[method] ?? byId(method)
  const names = Object.keys(fields)
  const whole = fc.record(fields)
  const flawed = fc
    .tuple(whole, fc.constantFrom(...names, 'other', '__proto__'), junk)
    .map(([input, name, value]) => ({ ...input, [name]: value }))
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 3, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 6, arbitrary: flawed },
    { weight: 1, arbitrary: junk },
  )
}

/** Inputs of any method. */
export const inputs: fc.Arbitrary<unknown> = fc.oneof(...Object.keys(SHAPES).map(inputsOf))

/** `value` with what is somewhere in it replaced, or taken out. */
export const spoilt = (value: unknown): fc.Arbitrary<unknown> =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? fc.oneof({ weight: 3, arbitrary: spoiltWithin(value) }, { weight: 1, arbitrary: junk })
    : junk

const spoiltWithin = (value: object): fc.Arbitrary<unknown> =>
  fc
    .constantFrom(...Object.entries(value))
    .chain(([key, held]) =>
      fc
        .option(spoilt(held), { nil: undefined })
        .map((other) =>
          Array.isArray(value)
            ? value.flatMap((item, index) => (String(index) === key ? [other] : [item]))
            : { ...value, [key]: other },
        ),
    )
