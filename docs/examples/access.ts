// The roles and providers of an application, deployed with its code.
import {
  type Context,
  type DesiredAccess,
  type DesiredIdentityProvider,
  defineAccess,
  formatPlan,
  type Iam,
  toStatus,
} from 'claviger'

/** From the environment. When unset, the stored secret stays. */
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
  managedBy: 'portal-code', // marks the objects; only marked ones are pruned
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

/** An undeclared key does not compile. */
export const MAY_PUBLISH = access.roleKey('portal', 'publisher')

/** Acts in the organization that owns the application. */
export const deployment: Context = {
  caller: {
    userId: 'deployment',
    orgId: 'acme',
    permissions: [
      'desired_state.write', // for its `managedBy`
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'identity_provider.read',
      'identity_provider.write',
      'identity_provider.secret.read', // to compare secrets; without it they are always set
    ],
  },
}

/** Every instance calls this before it serves. Returns the changes. */
export const applyAtBoot = async (iam: Iam): Promise<string> => {
  const applied = await iam.apply(access, deployment)
  if (applied.isErr()) throw new Error(JSON.stringify(toStatus(applied.error)))
  return formatPlan(applied.value)
}
