// The reference of every public name, a part of `npm run docs`.
import { join, resolve } from 'node:path'
import { Converter, OptionDefaults } from 'typedoc'

const root = resolve(import.meta.dirname, '../..')
/** Parts of public types, which show what they come to. */
const parts = [
  'src/console/browser/english.ts:ENGLISH',
  'src/application/errors/to-status.ts:MayBeAbsent',
  'src/application/errors/to-status.ts:Shown',
  'src/application/access/check-access.ts:QuestionFields',
  'src/application/access/check-access.ts:CheckedUser',
  'src/application/access/live-checks.ts:LiveQuestionFields',
  'src/application/method/names.ts:KeyOf',
  'src/application/method/names.ts:NamesOf',
  'src/application/method/names.ts:RegisteredRole',
  'src/application/access/user-access.ts:Ask',
  'src/better-auth/members.ts:Rows',
  'src/better-auth/tenants.ts:Tenant',
  'src/better-auth/tenants.ts:User',
  'src/oidc/refusal.ts:RefusalKind',
  'src/scim/ports.ts:MaybePromise',
  'src/domain/project-role/command-schemas.ts:RoleFields',
  'src/domain/project-role/aggregate.ts:ProjectRoleFields',
  'src/application/reading/list.ts:GrantFilter',
  'src/application/reading/pages.ts:AccessListInput',
]

/** What hosts import, by the file that TypeDoc calls a module. */
const importedAs = (module) =>
  module === 'index' ? 'claviger' : `claviger/${module.slice(module.lastIndexOf('/') + 1)}`

export default {
  name: 'claviger',
  tsconfig: join(root, 'tsconfig.json'),
  entryPoints: [
    'src/index.ts',
    'src/domain/index.ts',
    'src/application/evidence/index.ts',
    'src/adapters/sqlite/index.ts',
    'src/adapters/postgres/index.ts',
    'src/adapters/sql/index.ts',
    'src/transport/index.ts',
    'reports/client/index.d.ts',
    'src/laws/index.ts',
    'src/testing/index.ts',
    'src/console/index.ts',
    'src/oidc/index.ts',
    'src/import/index.ts',
    'src/adapters/cloudflare/index.ts',
    'src/authzen/index.ts',
    'src/scim/index.ts',
    'src/better-auth/index.ts',
    'src/webhooks/index.ts',
    'src/node/index.ts',
  ].map((file) => join(root, file)),
  out: join(root, 'reports/reference'),
  readme: 'none',
  blockTags: [...OptionDefaults.blockTags, '@generated'],
  excludeTags: ['@generated'],
  excludeExternals: true,
  excludeInternal: true,
  // Links to them would depend on where the repository was cloned from.
  disableSources: true,
  intentionallyNotExported: parts,
  treatWarningsAsErrors: true,
  // `npm run typecheck` looks for errors; here that would take longer than the reference itself.
  skipErrorChecking: true,
  plugin: [
    ({ converter }) =>
      converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
        for (const module of project.children ?? []) module.name = importedAs(module.name)
      }),
  ],
}
