import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searched } from '../nightly.js'
import type { Editor, QuickInfo } from './editor.js'
import { EDITORS } from './editors.js'
import { functionsOf, methodsOfIam, type PublicType, subpaths, typesOf } from './program.js'

/** A program, and where in it the names are that an editor is to show. */
interface Pointed {
  readonly source: string
  readonly names: readonly string[]
  readonly positions: readonly number[]
}

/** Each line has one name to point at, which a `^` stands before. */
const pointedAt = (head: string, lines: readonly (readonly [name: string, line: string])[]) => {
  let source = head
  const positions: number[] = []
  for (const [, line] of lines) {
    positions.push(source.length + line.indexOf('^'))
    source += `${line.replace('^', '')}\n`
  }
  return { source, names: lines.map(([name]) => name), positions }
}

/** Every method of `iam`, as it is called. */
const calls: Pointed = pointedAt(
  `import type { Iam } from 'claviger'
   declare const iam: Iam
   declare const given: never\n`,
  [...methodsOfIam().keys()].map((path) => [
    path,
    `iam.${path.replace(/(\w+)$/, '^$1')}(given, given)`,
  ]),
)

/** All subpaths in one program: each has a name of its own there. */
const imports = (type = ''): string =>
  subpaths.map((subpath, n) => `import ${type} * as subpath${n} from '${subpath}'\n`).join('')

/** Every function, as it is called; `orThrow` in both ways. */
const functions = (): Pointed =>
  pointedAt(
    `${imports()}
     declare const given: never
     declare const result: import('claviger').Result<string, import('claviger').IamError>
     declare const results: import('claviger').ResultAsync<string, import('claviger').IamError>\n`,
    subpaths.flatMap((subpath, n) =>
      [...functionsOf(subpath)].flatMap(([name, signatures]) => {
        const call = (given: string) =>
          [`${name}(${given})`, `subpath${n}.^${name}(${given})`] as const
        if (signatures === 1) return [call('given')]
        expect(name, 'which of its signatures is called?').toBe('orThrow')
        return [call('result'), call('results')]
      }),
    ),
  )

/** What stands for the type parameters of a type; `any` would leave nothing of one that is made of it. */
const argumentsOf = ({ name, typeParameters }: PublicType, module: string): string => {
  if (typeParameters === 0) return ''
  return name === 'Access' ? `<${module}.DesiredAccess>` : `<${Array(typeParameters).fill('any')}>`
}

/** Every field and method of every type; without what several members of a union declare if not `all`. */
const fields = (all: boolean): Pointed =>
  pointedAt(
    imports('type'),
    subpaths.flatMap((subpath, n) =>
      typesOf(subpath).flatMap((type) =>
        type.fields
          .filter((field) => all || !type.ofSeveral.has(field))
          .map((field) => {
            const module = `subpath${n}`
            const access = /^[A-Za-z]\w*$/.test(field) ? `.^${field}` : `['^${field}']`
            return [
              `${type.name}.${field}`,
              `void ({} as ${module}.${type.name}${argumentsOf(type, module)})${access}`,
            ] as const
          }),
      ),
    ),
  )

/**
 * What is used of requests and responses of Node.js, of pools and of drivers is described there; the type of a reference
 * and the texts of the console say themselves what they are.
 */
const OF_OTHERS =
  /^((Node(Request|Response)|PostgresPool(Client)?|PgLite(Queries|Types)?|PostgresJs(Queries|Rows)?|Messages|Texts|Plural)\.|RefOf\.type$)/

/** Fields as they are written, of one of several forms of an input, and of what is in a list. */
const written: Pointed = pointedAt(
  `import type { Context, Iam } from 'claviger'
   import { openPostgres } from 'claviger/postgres'
   declare const iam: Iam
   declare const context: Context
   declare const pool: import('pg').Pool\n`,
  [
    [
      'displayName',
      "iam.projectRoles.addMany({ projectId: 'p', roles: [{ roleKey: 'k', ^displayName: 'K' }] }, context)",
    ],
    ['name', "iam.projects.update({ id: 'p', ^name: 'n' }, context)"],
    ['idempotencyKey', "iam.projects.remove({ id: 'p' }, { ...context, ^idempotencyKey: 'k' })"],
    ['orgId', "iam.projects.remove({ id: 'p' }, { ...context, ^orgId: 'o', dryRun: true })"],
    ['connectionString', "openPostgres({ ^connectionString: 'postgres://localhost' })"],
    ['pool', 'openPostgres({ ^pool: pool })'],
  ],
)

/** What an editor shows of the public names. */
describe.each(EDITORS)('TypeScript %s', (version, open) => {
  let editor: Editor
  beforeAll(async () => {
    editor = await open()
  })
  afterAll(() => editor.close())

  /** What it shows, by name. */
  const shown = async (pointed: Pointed): Promise<readonly (readonly [string, QuickInfo])[]> => {
    const found = await editor.quickInfo(pointed.source, pointed.positions)
    return pointed.names.map((name, n) => [name, found[n] ?? { signature: '', documentation: '' }])
  }

  const undocumented = async (pointed: Pointed): Promise<readonly string[]> => {
    const infos = await shown(pointed)
    // Names that are not found would be without documentation too, for another reason.
    expect(infos.filter(([, { signature }]) => signature === '')).toEqual([])
    return infos.filter(([, { documentation }]) => documentation === '').map(([name]) => name)
  }

  // TypeScript 6 is a later version of the same program: one of the two is enough.
  if (version !== '5.9') {
    it('shows what each method of iam does where it is called', async () => {
      expect(calls.names.length).toBeGreaterThan(25)
      expect(await undocumented(calls)).toEqual([])
    })

    it('shows what each function does, each overload', async () => {
      expect(await undocumented(functions())).toEqual([])
    })

    // Version 7 shows nothing of what several members of a union declare before it is known which it is, and is tried at night.
    const isTried = searched({ short: version === '6.0', nightly: true })
    it.runIf(isTried)('shows what each field and method of the types is', async () => {
      const missing = await undocumented(fields(version !== '7.0'))
      expect(missing.filter((name) => !OF_OTHERS.test(name))).toEqual([])
    })
  }

  it('shows what a field is where it is written', async () => {
    expect(await undocumented(written)).toEqual([])
  })

  it('shows input, context and outcome of a call by name', async () => {
    const infos = new Map(
      await shown(
        pointedAt(
          `import type { Context, Iam } from 'claviger'
           import { orThrow, toJson } from 'claviger'
           declare const iam: Iam
           declare const context: Context
           const project = await orThrow(iam.projects.get({ id: 'p' }, context))\n`,
          [
            ['add', "iam.projects.^add({ name: 'n' }, context)"],
            ['dry run', "iam.projects.^add({ name: 'n' }, { ...context, dryRun: true })"],
            ['JSON', 'export const ^json = toJson(project)'],
            ['a value', 'export const ^value = project'],
          ],
        ),
      ),
    )
    const signatureOf = (name: string) => infos.get(name)?.signature
    expect(signatureOf('add')).toBe(
      '(property) Projects.add: <false>(input: AddProjectInput, context: WriteContext<false>) => ' +
        'ResultAsync<Written & ProjectIds, IamError>',
    )
    expect(signatureOf('dry run')).toBe(
      '(property) Projects.add: <true>(input: AddProjectInput, context: WriteContext<true>) => ' +
        'ResultAsync<Planned, IamError>',
    )
    expect(signatureOf('JSON')).toBe('const json: JsonObject<Project>')
    expect(signatureOf('a value')).toBe('const value: Project')
  })
})
