import {
  type Imported,
  parseJson,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstDuplicate } from '../../src/duplicates.js'

const zitadel = {
  orgs: [
    {
      orgId: '1',
      projects: [{ projectId: 'p', project: { name: 'P' } }],
      projectRoles: [{ projectId: 'p', roleKey: 'größe 🙂', displayName: 'A' }],
      userGrants: [{ userId: 'u', projectId: 'p', roleKeys: ['größe 🙂'] }],
    },
  ],
}

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('an export', () => {
  const text = JSON.stringify(zitadel)
  it.each<[what: string, source: string | Uint8Array]>([
    ['text with a byte order mark', `\uFEFF${text}`],
    ['bytes of UTF-8', Buffer.from(text)],
    ['bytes of UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
    ['bytes of UTF-16, as PowerShell writes them', utf16(text, false)],
    ['bytes of UTF-16 in the other order', utf16(text, true)],
  ])('may be %s', (_, source) => {
    expect(readZitadelExport(source)).toEqual(readZitadelExport(zitadel))
    expect(readZitadelExport([source])).toEqual(readZitadelExport(zitadel))
  })

  it.each<[read: (source: string) => Imported]>([
    [readKeycloakRealm],
    [readZitadelExport],
    [readBetterAuth],
  ])('says where it stops being JSON', (read) => {
    const { warnings } = read('{\n  "realm": "acme",\n  "roles": {},\n}\n')
    expect(warnings).toMatchObject([
      { kind: 'Malformed', path: '', message: 'It is not JSON: line 4, column 1' },
    ])
  })
})

describe('parseJson', () => {
  it.each<[text: string, line: number, column: number]>([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a":1', 1, 7],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{"a":}', 1, 6],
    ['{a:1}', 1, 2],
    ["{'a':1}", 1, 2],
    ['{"a":1}}', 1, 8],
    ['[1}', 1, 3],
    ['[01]', 1, 2],
    ['[1.]', 1, 2],
    ['[NaN]', 1, 2],
    ['[nulls]', 1, 2],
    ['// a comment\n{}', 1, 1],
    ['{\r\n  "a": "one\r\n"}', 2, 8],
    ['{"a":"\\x"}', 1, 6],
    ['realm: acme', 1, 1],
    ['[\n  {"a": 1}\n  {"b": 2}\n]', 3, 3],
  ])('says where %j stops being JSON', (text, line, column) => {
    expect(() => parseJson(text)).toThrow(
      new SyntaxError(`It is not JSON: line ${line}, column ${column}`),
    )
  })

  // https://github.com/opena2a-org/secretless-ai/issues/140, https://github.com/luisgf/infrabroker/issues/216
  it.each<[text: string, line: number, column: number]>([
    ['{"projects":[1],"projects":[]}', 1, 17],
    ['{\n  "a": [{"b": "a", "\\u0062": 1}]\n}', 2, 20],
    ['{"__proto__":1,"__proto__":2}', 1, 16],
  ])('says where %j has a name twice', (text, line, column) => {
    const fault = new SyntaxError(`It has a name twice: line ${line}, column ${column}`)
    for (const source of [text, utf16(text, true)]) expect(() => parseJson(source)).toThrow(fault)
  })

  it('finds a fault in whatever JSON.parse refuses, and quotes nothing', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', 'x', '\n', '1'))
      .map(([text, at, by]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + by + text.slice(place + 1)
      })
    fc.assert(
      fc.property(damaged, (text) => {
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expect(() => parseJson(text)).toThrow(/^It is not JSON: line \d+, column \d+$/)
          return
        }
        if (firstDuplicate(text)) expect(() => parseJson(text)).toThrow(/^It has a name twice: /)
        else expect(parseJson(text)).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('other spellings of Zitadel', () => {
  const snake = {
    org_id: '1',
    projects: [{ project_id: 'p', project: { name: 'P', project_role_check: true } }],
    project_roles: [{ project_id: 'p', role_key: 'größe 🙂', display_name: 'A' }],
    user_grants: [{ user_id: 'u', project_id: 'p', role_keys: ['größe 🙂'] }],
    oidc_idps: [
      {
        idp_id: 'i',
        idp: {
          name: 'I',
          client_id: 'c',
          client_secret: 's',
          issuer: 'https://i.example.com',
          auto_register: true,
          username_mapping: 'OIDC_MAPPING_FIELD_EMAIL',
        },
      },
    ],
    human_users: [{ user_id: 'u' }],
  }

  it.each(['dataOrgs', 'data_orgs', 'dataOrgsv1', 'data_orgsv1'])('are read in %s', (name) => {
    const { organizations, warnings } = readZitadelExport({ [name]: { orgs: [snake] } })
    expect(organizations).toMatchObject([
      {
        orgId: '1',
        access: {
          projects: [
            { id: 'p', settings: { projectRoleCheck: true }, roles: [{ displayName: 'A' }] },
          ],
          identityProviders: [
            { clientId: 'c', autoRegister: true, usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL' },
          ],
        },
        userGrants: [{ userId: 'u', roles: [{ roleKey: 'größe 🙂' }] }],
      },
    ])
    expect(warnings.map(({ path }) => path)).toEqual([`${name}.orgs[0].human_users`])
  })

  it('are not read where the file only names another', () => {
    for (const name of ['data_orgs_local', 'dataOrgsS3', 'data_orgsv1_gcs']) {
      const { warnings } = readZitadelExport({ timeout: '10m', [name]: { path: '/export.json' } })
      expect(warnings).toMatchObject([
        { kind: 'Malformed', path: '', message: expect.stringMatching(/import that file/) },
      ])
    }
  })

  it('come in several files, with grants of projects in another file', () => {
    const grants = [{ userId: 'u', projectId: 'p', roleKeys: ['größe 🙂'] }]
    const [own] = zitadel.orgs
    const projectGrants = [
      { projectGrant: { projectId: 'p', grantedOrgId: '2', roleKeys: ['größe 🙂'] } },
    ]
    const { organizations, warnings } = readZitadelExport([
      { data_orgs: { orgs: [{ orgId: '2', userGrants: grants }] } },
      { orgs: [{ ...own, projectGrants }] },
    ])
    expect(warnings).toEqual([])
    expect(organizations.map(({ orgId, userGrants }) => [orgId, userGrants.length])).toEqual([
      ['2', 1],
      ['1', 1],
    ])
  })
})

describe('rows of better-auth', () => {
  const member = { userId: 'u', organizationId: 'acme', role: 'owner' }
  const config = { clientId: 'c', clientSecret: 's', mapping: '{"name":"email"}' }
  const provider = {
    providerId: 'p',
    issuer: 'https://i.example.com',
    organizationId: 'acme',
    oidcConfig: JSON.stringify(config),
  }
  const read = readBetterAuth({ members: [member], ssoProviders: [provider] })

  it.each<[what: string, source: Parameters<typeof readBetterAuth>[0]]>([
    [
      'rows that are texts',
      { members: [JSON.stringify(member)], ssoProviders: [provider] } as never,
    ],
    [
      'tables that are texts',
      { members: JSON.stringify([member]), ssoProviders: [JSON.stringify(provider)] } as never,
    ],
    [
      'columns in snake case',
      {
        members: [{ user_id: 'u', organization_id: 'acme', role: 'owner' }],
        sso_providers: [
          {
            provider_id: 'p',
            issuer: provider.issuer,
            organization_id: 'acme',
            oidc_config: { client_id: 'c', client_secret: 's', mapping: { name: 'email' } },
          },
        ],
      } as never,
    ],
    [
      'a file for each table',
      [{ members: [member] }, JSON.stringify({ ssoProviders: [provider] })],
    ],
  ])('may be %s', (_, source) => {
    expect(readBetterAuth(source)).toEqual(read)
    expect(read.warnings).toEqual([])
    expect(read.organizations[0]?.userGrants).toHaveLength(1)
  })

  it('are refused where a text is no row', () => {
    const { warnings } = readBetterAuth({ members: ['owner' as never, '[1]' as never] })
    expect(warnings.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'Malformed members[0]',
      'Malformed members[1]',
    ])
  })
})
