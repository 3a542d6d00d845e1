// Who may do what: admins and project managers. Run it with `node docs/examples/authorize.ts`.
import assert from 'node:assert/strict'
import { type Authorize, aesGcmCipher, createIam, memoryEventStore } from 'claviger'

/** Admins of an organization do everything there; project managers change their own projects. */
const admins = new Map([['acme', new Set(['u1'])]])
const managers = new Map([['acme/portal', new Set(['u2'])]]) // no id contains a slash

const authorize: Authorize = ({ caller, permission, orgId, object }) => {
  if (permission === 'identity_provider.secret.read') return caller.userId === 'login-service'
  if (admins.get(orgId)?.has(caller.userId)) return true
  // Not 'project.grant.write', which opens a project to other organizations.
  const isManaging = permission.startsWith('project.') && !permission.startsWith('project.grant.')
  if (!isManaging) return false
  // A write of one role is about the role, everything else about the project.
  const projectId =
    object?.type === 'project_role' ? object.projectId : object?.type === 'project' && object.id
  return (
    projectId !== undefined && managers.get(`${orgId}/${projectId}`)?.has(caller.userId) === true
  )
}

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize })
const as = (userId: string) => ({ caller: { userId, orgId: 'acme' } })

assert((await iam.projects.add({ id: 'portal', name: 'Portal' }, as('u1'))).isOk())
const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
assert((await iam.projectRoles.add(role, as('u2'))).isOk())
assert((await iam.projects.list({}, as('u2'))).isErr()) // about the whole organization
const elsewhere = await iam.projects.remove({ id: 'portal' }, { ...as('u2'), orgId: 'globex' })
assert(elsewhere.isErr() && elsewhere.error.kind === 'PermissionDenied') // another project with the same id
console.log('Done')
