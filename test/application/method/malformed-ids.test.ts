import { expect, it } from 'vitest'
import {
  type Iam,
  memoryEventStore,
  type PermissionQuestion,
  type ResultAsync,
} from '../../../src/index.js'
import { context, iamOn } from '../host.js'

type Target = PermissionQuestion['object']
type Case = readonly [what: string, call: (iam: Iam) => ResultAsync<unknown, unknown>, Target]

/** What `authorize` is told of the object of a call. */
const objectOf = async ([, call]: Case): Promise<Target> => {
  const asked: PermissionQuestion[] = []
  await call(iamOn(memoryEventStore(), { authorize: (question) => asked.push(question) > 0 }))
  return asked[0]?.object
}

const project = { type: 'project', id: 'p' } as const
const provider = { type: 'identity_provider', id: 'entra' } as const
const mapping = { idpId: 'entra', group: 'finance', projectId: 'p', projectOrgId: 'acme' }

const removeRole = (projectId: string, roleKey: string) => (iam: Iam) =>
  iam.projectRoles.remove({ projectId, roleKey }, context)
const removeMapping = (change: Partial<typeof mapping>) => (iam: Iam) =>
  iam.roleMappings.remove({ ...mapping, ...change }, context)
const getDomain = (domain: string) => (iam: Iam) => iam.domains.get({ domain }, context)

it.each<Case>([
  ['a role', removeRole('p', 'k'), { type: 'project_role', projectId: 'p', roleKey: 'k' }],
  ['a mapping', removeMapping({}), { type: 'role_mapping', ...mapping }],
  ['a domain', getDomain('acme.example'), { type: 'domain', id: 'acme.example' }],
])('authorize is told of the object of a call: %s', async (...given) => {
  expect(await objectOf(given)).toEqual(given[2])
})

it.each<Case>([
  ['a role without a key', removeRole('p', ''), project],
  ['a role of no project', removeRole('', 'k'), undefined],
  ['a mapping of no group', removeMapping({ group: '' }), provider],
  ['a mapping of no project', removeMapping({ projectId: '' }), provider],
  ['a mapping of a project of nobody', removeMapping({ projectOrgId: '' }), provider],
  ['a mapping of no provider', removeMapping({ idpId: '' }), undefined],
  ['a domain that is an id', getDomain('acme'), undefined],
])(
  'authorize is told of what it lies in, or of nothing, where its ids are malformed: %s',
  async (...given) => {
    expect(await objectOf(given)).toEqual(given[2])
  },
)
