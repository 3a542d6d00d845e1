import { CANARY } from '../canary.js'

/** Two organizations: one grants a project to the other. */
export const zitadelExport = {
  orgs: [
    {
      orgId: '225480000000000001',
      org: { name: 'Acme' },
      projects: [
        {
          projectId: '225480000000000011',
          project: {
            name: 'Portal',
            projectRoleAssertion: true,
            projectRoleCheck: true,
            privateLabelingSetting:
              'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
          },
        },
      ],
      projectRoles: [
        {
          projectId: '225480000000000011',
          roleKey: 'editor',
          displayName: 'Editor',
          group: 'content',
        },
        { projectId: '225480000000000011', roleKey: 'viewer', displayName: 'Viewer' },
      ],
      humanUsers: [{ userId: '225480000000000021', user: { userName: 'ann' } }],
      projectGrants: [
        {
          grantId: '225480000000000031',
          projectGrant: {
            projectId: '225480000000000011',
            grantedOrgId: '225480000000000002',
            roleKeys: ['viewer'],
          },
        },
      ],
      userGrants: [
        {
          userId: '225480000000000021',
          projectId: '225480000000000011',
          roleKeys: ['editor', 'viewer'],
        },
      ],
      orgMembers: [{ userId: '225480000000000021', roles: ['ORG_OWNER'] }],
      oidcIdps: [
        {
          idpId: '225480000000000041',
          idp: {
            name: 'Google',
            stylingType: 'STYLING_TYPE_GOOGLE',
            clientId: 'c1',
            clientSecret: CANARY,
            issuer: 'https://accounts.google.com',
            scopes: ['openid', 'email'],
            usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
            autoRegister: true,
          },
        },
        {
          idpId: '225480000000000042',
          idp: { name: 'Entra', clientId: 'c2', issuer: 'https://login.example.com' },
        },
      ],
      jwtIdps: [
        { idpId: '225480000000000043', idp: { name: 'JWT', issuer: 'https://j.example.com' } },
      ],
      domains: [{ orgId: '225480000000000001', domainName: 'acme.example.com', isVerified: true }],
    },
    {
      orgId: '225480000000000002',
      org: { name: 'Globex' },
      userGrants: [
        {
          userId: '225480000000000022',
          projectId: '225480000000000011',
          projectGrantId: '225480000000000031',
          roleKeys: ['viewer', 'editor'],
        },
      ],
    },
  ],
}
