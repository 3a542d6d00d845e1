// The main job of the library on its embedded default, an SQLite file: `npm start` runs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  aesGcmCipher,
  type Context,
  createIam,
  type IamError,
  IamFailure,
  type ObjectRef,
  permissionsFromCaller,
  type Result,
  timeOf,
  toStatus,
} from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
const file = join(folder, 'iam.db')

// In production the key comes from a secret manager and stays there.
const secrets = aesGcmCipher({
  current: 'k1',
  keys: { k1: crypto.getRandomValues(new Uint8Array(32)) },
})

/** What an admin of the organization `acme` may do, as the host's own login established it. */
const context: Context = {
  caller: {
    userId: 'user-4711',
    orgId: 'acme',
    permissions: [
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'user.grant.read',
      'user.grant.write',
      'identity_provider.read',
      'identity_provider.write',
      'identity_provider.secret.read',
      'event.read',
    ],
  },
}

const open = () => {
  const { close, ...opened } = openSqlite(file)
  return { close, iam: createIam({ ...opened, secrets, authorize: permissionsFromCaller }) }
}

/** Stops the program when something is not as this example says. */
const expect = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`Surprise: ${what}`)
}

/** The public settings of three providers; a real host asks its customers' admins for ids and secrets. */
const providers = [
  {
    name: 'Google',
    stylingType: 'STYLING_TYPE_GOOGLE',
    issuer: 'https://accounts.google.com',
    scopes: ['openid', 'profile', 'email'],
    usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
  },
  {
    name: 'Microsoft Entra ID',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  },
  {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    scopes: ['openid', 'profile', 'email', 'read_user'],
    autoRegister: true,
  },
] as const

const main = async (): Promise<void> => {
  const first = open()
  const { iam } = first

  headline('A project and its roles')
  const { projectId } = unwrap(
    await iam.projects.add({ name: 'Customer portal', projectRoleCheck: true }, context),
  )
  unwrap(
    await iam.projectRoles.addMany(
      {
        projectId,
        roles: [
          { roleKey: 'viewer', displayName: 'Viewer', group: 'content' },
          { roleKey: 'editor', displayName: 'Editor', permissions: ['article.edit'] },
          { roleKey: 'billing/admin', displayName: 'Billing administrator', group: 'finance' },
        ],
      },
      context,
    ),
  )
  print(`project ${projectId} with 3 roles, added together or not at all`)

  headline('Identity providers')
  for (const provider of providers) {
    const clientId = `${provider.name.toLowerCase().replaceAll(' ', '-')}-client`
    const added = unwrap(
      await iam.identityProviders.addOidc(
        { ...provider, clientId, clientSecret: `secret of ${clientId}` },
        context,
      ),
    )
    print(`${provider.name.padEnd(20)} ${added.idpId}  sequence ${added.details.sequence}`)
  }

  headline('An update without a secret keeps the stored one')
  const { items } = unwrap(await iam.identityProviders.list({}, context))
  const google = items.find(({ name }) => name === 'Google')
  if (!google) throw new Error('Surprise: there is no Google')
  const { idpId } = google
  unwrap(
    await iam.identityProviders.updateOidcConfig(
      {
        idpId,
        issuer: google.issuer,
        clientId: 'google-client-2',
        scopes: google.scopes,
        displayNameMapping: google.displayNameMapping,
        usernameMapping: google.usernameMapping,
      },
      context,
    ),
  )
  const { clientSecret } = unwrap(
    await iam.identityProviders.revealClientSecret({ idpId }, context),
  )
  expect(clientSecret === 'secret of google-client', 'the secret was lost')
  print('client id replaced; the secret still opens')

  headline('What is refused')
  const duplicate = await iam.projectRoles.add(
    { projectId, roleKey: 'editor', displayName: 'Another editor' },
    context,
  )
  expect(duplicate.isErr() && duplicate.error.kind === 'AlreadyExists', 'a key was taken twice')
  if (duplicate.isErr()) printRefusal('a role key twice', duplicate.error)
  const malformed = await iam.projects.add({ name: '' }, context)
  expect(malformed.isErr() && malformed.error.kind === 'InvalidArgument', 'a bad name was taken')
  if (malformed.isErr()) printRefusal('an empty name', malformed.error)

  headline('Who may do what, and why')
  const ann = { userId: 'ann', projectId }
  const user = iam.access.of({ ...ann, orgId: 'acme' })
  expect(!(await user.can('article.edit')), 'a role was there before it was given')
  unwrap(await iam.userGrants.give({ ...ann, roles: [{ roleKey: 'editor' }] }, context))
  await user.require('article.edit')
  print('ann may article.edit, because of:')
  const why = unwrap(await iam.access.explain({ ...ann, roleKey: 'editor' }, context))
  for (const { type, time } of why.because) print(`    ${time.toISOString()}  ${type}`)
  unwrap(await iam.projectRoles.remove({ projectId, roleKey: 'editor' }, context))
  const denied = await user.require('article.edit').catch((thrown: unknown) => thrown)
  expect(denied instanceof IamFailure, 'a removed role still counts')
  print(`after the role was removed: ${denied}`)

  await first.close()
  await report(projectId)
}

/** Opens the file again, as after a restart, and shows what it holds. */
const report = async (projectId: string): Promise<void> => {
  const { iam, close } = open()

  headline('The log, read from the file again')
  const history = unwrap(await iam.history.list({}, context))
  for (const { sequence, actor, type, object } of history.items)
    print(`${timeOf(sequence).toISOString()}  ${actor.userId}  ${type}  ${nameOf(object)}`)
  expect(history.items.length === 10, `the log holds ${history.items.length} events`)

  headline('What is there now')
  const project = unwrap(await iam.projects.get({ id: projectId }, context))
  const roles = unwrap(
    await iam.projectRoles.list({ projectId, sort: [{ field: 'displayName' }] }, context),
  )
  const roleKeys = roles.items.map(({ roleKey }) => roleKey)
  print(`${project.name} (${project.state}) with the roles ${roleKeys.join(', ')}`)
  expect(roles.totalSize === 2, `the project has ${roles.totalSize} roles`)
  const idps = unwrap(await iam.identityProviders.list({ sort: [{ field: 'name' }] }, context))
  print(
    `the providers ${idps.items.map(({ name, clientId }) => `${name} (${clientId})`).join(', ')}`,
  )
  expect(idps.totalSize === 3, `there are ${idps.totalSize} identity providers`)

  await close()
}

const print = (line: string): void => console.log(`  ${line}`)

let isFirst = true
const headline = (text: string): void => {
  console.log(isFirst ? text : `\n${text}`)
  isFirst = false
}

const printRefusal = (what: string, error: IamError): void => {
  const { code, message } = toStatus(error)
  const fields = error.kind === 'InvalidArgument' ? error.violations : []
  const reasons = fields.map(({ field, description }) => `${field} ${description}`)
  print(`${what}: code ${code}, ${[message, ...reasons].join('; ')}`)
}

const nameOf = (object: ObjectRef): string => {
  switch (object.type) {
    case 'identity_provider':
    case 'role_mapping':
    case 'membership':
      return object.idpId
    case 'project':
      return object.id
    case 'project_role':
      return object.roleKey
    case 'project_grant':
      return object.grantedOrgId
    case 'user_grant':
      return object.userId
    case 'domain':
      return object.domain
    case 'setup_link':
      return object.linkId
  }
}

/** The value of a result that cannot be an error here. */
function unwrap<Value>(result: Result<Value, IamError>): Value {
  if (result.isOk()) return result.value
  throw new Error(`Surprise: ${JSON.stringify(toStatus(result.error))}`)
}

try {
  await main()
  console.log('\nTo see such a host in a browser: npm run serve\nDone.')
} catch (thrown) {
  console.error(thrown)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
