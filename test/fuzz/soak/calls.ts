import type { Context, Iam, IamError, RecordedEvent } from 'claviger'
import type { ResultAsync } from 'neverthrow'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.ts'
import { pick } from './chance.ts'

/** What there is; few enough that most commands meet what others made. */
export const ORGANIZATIONS = ['acme', 'globex']
export const PROJECTS = 10
const ROLES = 20
const PROVIDERS = 20
export const USERS = 20

/** What a call recorded; a read nothing. */
type Sent = ResultAsync<{ readonly events: readonly RecordedEvent[] }, IamError>

const read = (answer: ResultAsync<unknown, IamError>): Sent => answer.map(() => ({ events: [] }))

/** A call of any kind, the same each time it is sent. */
export const anyCall = (iam: Iam): ((context: Context) => Sent) => {
  const { projects, projectRoles, projectGrants, userGrants } = iam
  const { identityProviders, access, history } = iam
  const id = `p${pick(PROJECTS)}`
  const role = {
    projectId: id,
    roleKey: `r${pick(ROLES)}`,
    displayName: `Role ${pick(5)}`,
    group: `g${pick(3)}`,
  }
  const roles = [0, 1, 2].map((n) => ({ roleKey: `many${pick(ROLES)}-${n}`, displayName: 'Many' }))
  const idp = { idpId: `i${pick(PROVIDERS)}` }
  const oidc = { ...idp, clientId: `c${pick(5)}`, issuer: 'https://i.example.com' }
  const name = `Name ${pick(5)}`
  const flags = { projectRoleCheck: pick(2) === 1, hasProjectCheck: pick(2) === 1 }
  const roleKeys = [`r${pick(ROLES)}`]
  const projectGrant = { projectId: id, grantedOrgId: ORGANIZATIONS[pick(2)] ?? '' }
  const projectOrgId = ORGANIZATIONS[pick(2)]
  const user = { userId: `u${pick(USERS)}`, projectId: id, projectOrgId }
  const given = { ...user, roles: roleKeys.map((roleKey) => ({ roleKey })) }
  const calls: readonly ((context: Context) => Sent)[] = [
    (context) => projects.add({ id, name }, context),
    (context) => projects.update({ ...PROJECT_DEFAULTS, id, name, ...flags }, context),
    (context) => projectRoles.add(role, context),
    (context) => projectRoles.addMany({ projectId: id, roles }, context),
    (context) => projectRoles.update(role, context),
    (context) => projectRoles.remove({ projectId: id, roleKey: role.roleKey }, context),
    (context) => identityProviders.addOidc({ ...oidc, name, clientSecret: 's' }, context),
    (context) =>
      identityProviders.updateOidcConfig(
        { ...OIDC_DEFAULTS, ...oidc, clientSecret: 's2' },
        context,
      ),
    (context) => identityProviders.update({ ...PROVIDER_DEFAULTS, ...idp, name }, context),
    (context) => read(identityProviders.revealClientSecret(idp, context)),
    (context) => projectGrants.add({ ...projectGrant, roleKeys }, context),
    (context) => projectGrants.update({ ...projectGrant, roleKeys }, context),
    (context) => projectGrants.remove(projectGrant, context),
    (context) => userGrants.add(given, context),
    (context) => userGrants.addRoles(given, context),
    (context) => userGrants.removeRoles({ ...user, roleKeys }, context),
    (context) => userGrants.deactivate(user, context),
    (context) => userGrants.reactivate(user, context),
    (context) => read(access.check({ ...user, roleKey: role.roleKey }, context)),
    (context) => read(access.whoHas({ projectId: id, pageSize: 10 }, context)),
    (context) => read(projects.get({ id }, context)),
    (context) => read(projectRoles.list({ projectId: id, pageSize: 10 }, context)),
    (context) => read(history.list({ object: { type: 'project', id }, limit: 10 }, context)),
  ]
  return calls[pick(calls.length)] ?? ((context) => read(projects.list({}, context)))
}
