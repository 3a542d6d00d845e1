// The applications of the product and their roles, the same for every customer.
import { type Applied, type DesiredAccess, defineAccess, type Iam, orThrow } from 'claviger'

export const currentAccess = defineAccess({
  managedBy: 'invoicing-code', // marks what is recorded: only that is ever pruned
  version: 2, // one more with each change of what follows
  prune: true,
  projects: [
    {
      id: 'invoicing',
      name: 'Invoicing',
      settings: { projectRoleCheck: true, projectRoleAssertion: true }, // nobody opens it without a role
      roles: [
        { roleKey: 'viewer', displayName: 'Viewer' },
        { roleKey: 'accountant', displayName: 'Accountant' },
        { roleKey: 'approver', displayName: 'Approver' },
      ],
    },
    {
      id: 'reports',
      name: 'Reports',
      settings: { projectRoleCheck: true, projectRoleAssertion: true },
      roles: [{ roleKey: 'reader', displayName: 'Reader' }],
    },
  ],
} as const satisfies DesiredAccess)

/** Acts for the deployment, in the organization of a customer. */
export const deployment = (customerId: string) => ({
  caller: {
    userId: 'deployment',
    orgId: customerId,
    permissions: [
      'project.read',
      'project.write',
      'project.role.read',
      'project.role.write',
      'identity_provider.read',
      'identity_provider.write',
      'identity_provider.secret.read',
    ] as const,
  },
})

/** Makes what a customer has as declared. May be repeated, and by several instances at once. */
export const applyAccess = (
  iam: Iam,
  customerId: string,
  access: DesiredAccess,
): Promise<Applied> => orThrow(iam.apply(access, deployment(customerId)))
