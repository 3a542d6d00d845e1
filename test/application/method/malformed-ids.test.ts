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

/** The object that `authorize` gets. */
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
])('authorize gets the object of the call: %s', async (...given) => {
  expect(await objectOf(given)).toEqual(given[2])
})

it.each<Case>([
  ['a role with an empty key', removeRole('p', ''), project],
  ['a role with an empty project', removeRole('', 'k'), undefined],
  ['a mapping with an empty group', removeMapping({ group: '' }), provider],
  ['a mapping with an empty project', removeMapping({ projectId: '' }), provider],
  ['a mapping with an empty owner of the project', removeMapping({ projectOrgId: '' }), provider],
  ['a mapping with an empty provider', removeMapping({ idpId: '' }), undefined],
  ['a domain of one label', getDomain('acme'), undefined],
])('authorize gets the container, or no object, when ids are malformed: %s', async (...given) => {
  expect(await objectOf(given)).toEqual(given[2])
})
