// The access of an application, in code: who deploys the code deploys the roles.
import {
  type Context,
  type DesiredAccess,
  type DesiredIdentityProvider,
  defineAccess,
  formatPlan,
  type Iam,
  toStatus,
} from 'claviger'

/** Secrets come from where the deployment keeps them. Unset, the stored one stays. */
const { GOOGLE_CLIENT_SECRET } = process.env

const google: DesiredIdentityProvider = {
  idpId: 'google',
  name: 'Google',
  stylingType: 'STYLING_TYPE_GOOGLE',
  issuer: 'https://accounts.google.com',
  clientId: 'portal.apps.example.com',
  clientSecret: GOOGLE_CLIENT_SECRET,
  scopes: ['openid', 'email'],
}

export const access = defineAccess({
  managedBy: 'portal-code', // marks what is recorded, so that only that is ever pruned
  prune: true,
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      settings: { projectRoleCheck: true },
      roles: [
        {
          roleKey: 'editor',
          displayName: 'Editor',
          group: 'content',
          permissions: ['article.edit'],
        },
        { roleKey: 'publisher', displayName: 'Publisher', group: 'content' },
        { roleKey: 'auditor', displayName: 'Auditor' },
      ],
    },
  ],
  identityProviders: [google],
} as const satisfies DesiredAccess)

/** Checked by the compiler: a key that is not declared is an error here. */
export const MAY_PUBLISH = access.roleKey('portal', 'publisher')

/** The deployment acts for the organization that the application belongs to. */
export const deployment: Context = {
  caller: {
    userId: 'deployment',
    orgId: 'acme',
    permissions: [
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'identity_provider.read',
      'identity_provider.write',
      'identity_provider.secret.read', // to see that a secret is the same; otherwise it is set anew
    ],
  },
}

/** For every instance to call as it starts, before it serves. Answers what was done. */
export const applyAtBoot = async (iam: Iam): Promise<string> => {
  const applied = await iam.apply(access, deployment)
  if (applied.isErr()) throw new Error(JSON.stringify(toStatus(applied.error)))
  return formatPlan(applied.value)
}
