import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Editor } from './editor.js'
import { EDITORS } from './editors.js'

/** What stands before every line below. */
const HEAD = `
  import {
    type AddProjectInput, type Caller, type Context, copyEvents, createIam, type DryRunContext,
    httpStatusOf, type Iam, type IamError, IamFailure, type Json, type JsonOf, orThrow, type Page,
    type Permission, type Planned, type Project, type ProjectIds, type ProjectRole, type Result,
    type ResultAsync, type Status, toJson, toStatus, type Write, type Written,
  } from 'claviger'
  declare const iam: Iam
  declare const context: Context
  declare const dry: DryRunContext
  declare const caller: Caller
  declare const flag: boolean
  declare const either: Context | DryRunContext
  declare const maybe: true | undefined
  declare const error: IamError
  declare const project: Project
  declare const written: Written & ProjectIds
  declare const page: Page<ProjectRole>
  declare const texts: string[]
  type Add = Iam['projects']['add']
  type Outcome = ResultAsync<Written & ProjectIds, IamError>
  type Plans = ResultAsync<Planned, IamError>
  type Is<One, Other> =
    (<Type>() => Type extends One ? 1 : 2) extends (<Type>() => Type extends Other ? 1 : 2) ? 1 : 0
  const is = <_ extends 1>(): void => {}
  export const used = [
    iam, context, dry, caller, flag, either, maybe, error, project, written, page, texts, is,
    copyEvents, createIam, httpStatusOf, IamFailure, orThrow, toJson, toStatus,
  ]
  export type Used = [
    AddProjectInput, Json, JsonOf<1>, Permission, Result<1, 1>, Status, Write<1, 1>, Add, Outcome,
    Plans, Is<1, 1>,
  ]
`

const SETTINGS = `projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED' as const`
const OIDC = `scopes: [], displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL' as const,
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL' as const, clientId: 'c', issuer: 'i'`

const fine: Readonly<Record<string, readonly string[]>> = {
  'an update of everything': [
    `iam.projects.update({ id: 'p', name: 'n', ${SETTINGS} }, context)`,
    "iam.projects.update({ ...project, name: 'n' }, context)",
    "iam.projectRoles.update({ projectId: 'p', roleKey: 'k', displayName: 'd', group: '' }, context)",
    `iam.identityProviders.update(
       { idpId: 'i', name: 'n', stylingType: 'STYLING_TYPE_GOOGLE', autoRegister: true }, context)`,
  ],
  'an update of an OIDC configuration with a secret, or without': [
    `iam.identityProviders.updateOidcConfig({ idpId: 'i', ${OIDC} }, context)`,
    `iam.identityProviders.updateOidcConfig({ idpId: 'i', clientSecret: 's', ${OIDC} }, context)`,
    `iam.identityProviders.updateOidcConfig({ idpId: 'i', clientSecret: undefined, ${OIDC} }, context)`,
  ],
  'an addition that leaves out what has a default': [
    "iam.projects.add({ name: 'n' }, context)",
    "iam.projectRoles.add({ projectId: 'p', roleKey: 'k', displayName: 'd' }, context)",
    "iam.identityProviders.addOidc({ name: 'n', clientId: 'c', clientSecret: 's', issuer: 'i' }, context)",
  ],
  'permissions by name, or widened on purpose': [
    "export const one: Caller = { ...caller, permissions: ['project.read', 'event.read'] }",
    "export const two: Caller = { ...caller, permissionsIn: { acme: ['project.write'] } }",
    'export const three: Caller = { ...caller, permissions: texts as Permission[] }',
    "export const four = { caller: { userId: 'u', orgId: 'o', permissions: ['project.read'] } } satisfies Context",
    'iam.projects.list({}, four)',
    "const own = ['project.read'] as const\niam.projects.list({}, { caller: { ...caller, permissions: own } })",
  ],
  'what a write answers, by its context': [
    "export const done: Outcome = iam.projects.add({ name: 'n' }, context)",
    "export const own: Outcome = iam.projects.add({ name: 'n' }, { caller, dryRun: false })",
    "export const none: Outcome = iam.projects.add({ name: 'n' }, { caller, dryRun: undefined })",
    "export const planned: Plans = iam.projects.add({ name: 'n' }, dry)",
    "export const spread: Plans = iam.projects.add({ name: 'n' }, { ...context, dryRun: true })",
  ],
  'a write as a host of 0.1 took it apart': [
    'is<Is<ReturnType<Add>, Outcome>>()',
    'is<Is<Parameters<Add>[0], AddProjectInput>>()',
    'export const given = (all: Parameters<Add>): Context => all[1]',
    'export const taken = (): Parameters<Add>[1] => context',
    'export const forward = (...all: Parameters<Add>): ReturnType<Add> => iam.projects.add(...all)',
    `const call = <Input, Answer>(
       method: (input: Input, context: Context) => ResultAsync<Answer, IamError>, input: Input,
     ) => method(input, context)
     export const called: Outcome = call(iam.projects.add, { name: 'n' })`,
  ],
  'a write as a host of 0.1 wrapped it': [
    'export const same: Write<AddProjectInput, ProjectIds> = iam.projects.add',
    `export function audited<Input, Ids>(write: Write<Input, Ids>): Write<Input, Ids> {
       function method(input: Input, context: DryRunContext): Plans
       function method(input: Input, context: Context): ResultAsync<Written & Ids, IamError>
       function method(
         input: Input,
         context: Context | DryRunContext,
       ): ResultAsync<Planned | (Written & Ids), IamError> {
         return context.dryRun ? write(input, context) : write(input, context)
       }
       return method
     }
     export const watched: Iam = { ...iam, projects: { ...iam.projects, add: audited(iam.projects.add) } }`,
    'export interface Named extends Write<AddProjectInput, ProjectIds> { readonly title: string }',
  ],
  'a write that one function wraps': [
    'export const wrapped: Add = (input, context) => iam.projects.add(input, context)',
  ],
  'the value of a result, now or later': [
    "export const later: Promise<Project> = orThrow(iam.projects.get({ id: 'p' }, context))",
    "export const now = async (): Promise<Project> => orThrow(await iam.projects.get({ id: 'p' }, context))",
    "export const asked = async () => iam.projects.get({ id: 'p' }, context)",
    'export const waited: Promise<Project> = orThrow(asked())',
    `export const nothing: Promise<void> = orThrow(
       iam.projects.checkLogin({ id: 'p', userOrgId: 'o', userRoleKeys: [] }, context))`,
    `try {} catch (caught) {
       if (caught instanceof IamFailure) {
         const [failed, status]: [IamFailure['error'], Status] = [caught.error, caught.status]
         httpStatusOf(failed) + httpStatusOf(status)
       }
     }`,
  ],
  'JSON by the type of what it is of': [
    'is<Is<ReturnType<typeof toJson<bigint>>, string>>()',
    'is<Is<JsonOf<bigint | Date>, string>>()',
    "is<Is<JsonOf<'a' | 1 | true | null>, 'a' | 1 | true | null>>()",
    'is<Is<JsonOf<() => void>, never>>()',
    'is<Is<JsonOf<unknown>, Json>>()',
    "is<Is<keyof JsonOf<Written & ProjectIds>, 'details' | 'changed' | 'warnings' | 'projectId'>>()",
    "is<Is<keyof JsonOf<{ clientSecret: string; events: number; a: 1 }>, 'events' | 'a'>>()",
    'const shown = toJson(written)',
    'export const sequence: string = shown.details.sequence',
    'export const date: string = shown.details.creationDate',
    'export const items: readonly string[] = toJson(page).items.map(({ details }) => details.changeDate)',
    'export const next: string | undefined = toJson(page).nextPageToken',
    'export const absent: { readonly a?: string } = toJson({ a: undefined as bigint | undefined })',
  ],
  'JSON as a host of 0.1 took it': [
    'export const all: Json[] = [toJson(project), toJson(written), toJson(page), toJson(1n), toJson(undefined)]',
    'export const some: Json = toJson(page)',
    'export const any: Json = toJson(JSON.parse("1"))',
    'export const unknown: Json = toJson(error as unknown)',
    'export const status: Json = toJson(toStatus(error))',
    'export const generic = <Value>(value: Value): Json => toJson(value)',
    'export const mapped: Json[] = [project].map(toJson)',
    'export const history = async (): Promise<Json> =>\n  toJson((await iam.history.list({}, context))._unsafeUnwrap())',
  ],
}

/** Each with what is underlined, and the beginning of what is said. */
const refused: Readonly<Record<string, readonly (readonly [code: string, at: string, RegExp])[]>> =
  {
    'an update that would empty what it leaves out': [
      ["iam.projects.update({ id: 'p', name: 'n' }, context)", "{ id: 'p', name: 'n' }", /missing/],
      [
        "const input = { projectId: 'p', roleKey: 'k', displayName: 'd' }\niam.projectRoles.update(input, context)",
        'input',
        /'group' is missing/,
      ],
      [
        "const input = { idpId: 'i', name: 'n', autoRegister: true }\niam.identityProviders.update(input, context)",
        'input',
        /'stylingType' is missing/,
      ],
      [
        "const input = { idpId: 'i', clientId: 'c', issuer: 'i' }\niam.identityProviders.updateOidcConfig(input, context)",
        'input',
        /scopes, displayNameMapping, usernameMapping/,
      ],
      [
        'iam.projects.update({ ...project, hasProjectCheck: undefined }, context)',
        'hasProjectCheck',
        /./,
      ],
    ],
    'an input that is misspelt, of the input': [
      [
        "iam.projects.add({ name: 'n', naem: 'm' }, context)",
        'naem',
        /'naem' does not exist in type/,
      ],
      ["iam.projects.add({ name: 'n', naem: 'm' }, dry)", 'naem', /'naem' does not exist in type/],
      ["iam.projects.add({ naem: 'm' }, context)", 'naem', /'naem' does not exist in type/],
      [
        'iam.projects.add({ name: 5 }, context)',
        'name',
        /'number' is not assignable to type 'string'/,
      ],
      [
        "iam.projectRoles.addMany({ projectId: 'p', roles: [{ roleKey: 'k', dispayName: 'd' }] }, context)",
        'dispayName',
        /'dispayName' does not exist in type/,
      ],
    ],
    'a context that is misspelt, of the context': [
      [
        "iam.projects.add({ name: 'n' }, { caller, idempotencykey: 'k' })",
        'idempotencykey',
        /Did you mean to write 'idempotencyKey'/,
      ],
      [
        "iam.projects.add({ name: 'n' }, { caller, idempotencykey: 'k', dryRun: true })",
        'idempotencykey',
        /Did you mean to write 'idempotencyKey'/,
      ],
      ["iam.projects.add({ name: 'n' }, { ...context, org: 'o' })", 'org', /'org' does not exist/],
      [
        "iam.projects.add({ name: 'n' }, { dryRun: true })",
        '{ dryRun: true }',
        /'caller' is missing/,
      ],
    ],
    'a flag that is not known': [
      [
        "iam.projects.add({ name: 'n' }, { ...context, dryRun: flag })",
        'dryRun',
        /'boolean' is not/,
      ],
      [
        "iam.projects.add({ name: 'n' }, { ...context, dryRun: maybe })",
        'dryRun',
        /'undefined' is not/,
      ],
      ["iam.projects.add({ name: 'n' }, either)", 'either', /'WriteContext<boolean>'/],
    ],
    'what is no permission': [
      [
        "export const one: Caller = { ...caller, permissions: ['project.raed'] }",
        "'project.raed'",
        /./,
      ],
      [
        "export const two: Caller = { ...caller, permissionsIn: { acme: ['write'] } }",
        "'write'",
        /"write"' is not assignable/,
      ],
      [
        'export const three: Caller = { ...caller, permissions: texts }',
        'permissions',
        /string\[\]/,
      ],
    ],
    'what is no part of the JSON form': [
      ['toJson(written).events', 'events', /does not exist/],
      ['toJson({ clientSecret: "s" }).clientSecret', 'clientSecret', /does not exist/],
      ['export const time: Date = toJson(project).details.changeDate', 'time', /'string' is not/],
    ],
  }

/** Puts all sources into one program, each in its own namespace because several declare the same names. */
const programOf = (sources: readonly string[]) => {
  let source = HEAD
  const lastLines = sources.map((code, n) => {
    source += `\nexport namespace case${n} {\n${code}\n}`
    return source.split('\n').length
  })
  /** The index of the source that contains a line of the program. */
  const indexAt = (line: number): number => lastLines.findIndex((last) => line <= last)
  return { source, indexAt }
}

/** What compiles, what does not, and what an editor underlines. */
describe.each(EDITORS)('TypeScript %s', (_, open) => {
  let editor: Editor
  beforeAll(async () => {
    editor = await open({ erasableSyntaxOnly: false })
  })
  afterAll(() => editor.close())

  /** The objections to each of `sources`. */
  const objectionsTo = async (sources: readonly string[]) => {
    const { source, indexAt } = programOf(sources)
    const objections = await editor.objections(source)
    return sources.map((_, n) => objections.filter(({ line }) => indexAt(line) === n))
  }

  it('takes what is right', async () => {
    const objections = await objectionsTo(Object.values(fine).map((lines) => lines.join('\n')))
    Object.keys(fine).forEach((name, n) => {
      expect(objections[n], name).toEqual([])
    })
  })

  it('objects to what is not', async () => {
    const cases = Object.entries(refused).flatMap(([name, lines]) =>
      lines.map(([code, at, message]) => ({ name, code, at, message })),
    )
    const found = await objectionsTo(cases.map(({ code }) => code))
    cases.forEach(({ name, code, at, message }, n) => {
      const objection = expect.objectContaining({ at, message: expect.stringMatching(message) })
      expect(found[n], `${name}: ${code}`).toEqual([objection])
      expect(found[n]?.[0]?.message).not.toMatch(/overload/)
    })
  })
})
