import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Source text by path below src/. */
type Sources = ReadonlyMap<string, string>

const ANY_AGGREGATE = readdirSync(join(import.meta.dirname, '../src/domain'), {
  withFileTypes: true,
})
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `domain/${name}`)
const DOMAIN = ['domain', ...ANY_AGGREGATE]

/** The one file of its folder that sees every aggregate. */
const AGGREGATES = 'domain/aggregates.ts'

/** What `claviger/domain` exports. */
const DOMAIN_INDEX = 'domain/index.ts'

/** The rules that span aggregates: which generation of a role a grant has. */
const GENERATIONS = 'domain/role-generations.ts'

const PURE = [...DOMAIN, 'ports', 'projections']

/** Checks the options of every subpath; the domain has none. */
const OPTIONS_CHECKER = 'check-options.ts'

/** The public object: no method sees it. What lies beside it is shared by all methods. */
const PUBLIC_OBJECT = 'application/iam.ts'

/** What the folders of the application may import. */
const ERRORS = [...PURE, 'application/errors']
const TIMERS = [...ERRORS, 'application/waiting.ts']
const METHOD = [...TIMERS, 'application/hooks.ts', 'application/method']
const FOLLOWING = [...METHOD, 'application/following']
const RECORDING = [...METHOD, 'application', 'application/recording']
const GRANTING = [...RECORDING, 'application/grant-rules']
const READING = [
  ...FOLLOWING,
  'application',
  'application/grant-rules',
  'application/reading',
  'application/recording/streams.ts',
]
const WRITING = [...GRANTING, 'application/writing']
const METHODS = [...READING, ...WRITING]
const DESIRED_STATE = [
  ...METHODS,
  'application/identity-providers',
  'application/desired-state/declared',
  'application/desired-state/plan',
]

const ADAPTERS = [...PURE, 'adapters/store']

/** The table of operations: all that the pages of the console see of the library. */
const WIRE = 'transport/wire.ts'

/** Which folders, or single files, a file may import from, besides its own folder; the first rule that fits it counts. */
const RULES: readonly (readonly [folderOrFile: RegExp, allowed: readonly string[]])[] = [
  [
    /^domain\/role-generations\.ts$/,
    [
      'domain/project',
      'domain/project-grant',
      'domain/project-role',
      'domain/role-mapping',
      'domain/user-grant',
    ],
  ],
  [/^domain$/, []],
  [/^domain\/[^/]+$/, ['domain']],
  [/^ports$/, DOMAIN],
  [/^projections$/, PURE],
  [/^application\/errors$/, PURE],
  [/^application\/method$/, METHOD],
  [/^application\/evidence$/, FOLLOWING],
  [/^application\/following$/, [...FOLLOWING, 'application/evidence']],
  [/^application\/recording$/, RECORDING],
  [/^application\/grant-rules$/, GRANTING],
  [/^application\/writing$/, WRITING],
  [/^application\/reading$/, READING],
  [
    /^application\/(access|domains|identity-providers|memberships|projects|project-grants|project-roles|role-mappings|setup-links|user-grants)$/,
    METHODS,
  ],
  [/^application\/desired-state\/declared$/, METHOD],
  [/^application\/desired-state\/plan$/, [...METHOD, 'application/desired-state/declared']],
  [
    /^application\/desired-state\/deciding$/,
    [
      ...DESIRED_STATE,
      'application/desired-state/permissions-for-plan.ts',
      'application/desired-state/sealed-secrets.ts',
    ],
  ],
  [/^application\/desired-state$/, [...DESIRED_STATE, 'application/desired-state/deciding']],
  [/^application\/waiting\.ts$/, ERRORS],
  [/^application\/hooks\.ts$/, TIMERS],
  [/^application$/, [...PURE, 'application/**']],
  [/^adapters\/store$/, PURE],
  // What databases share; no other adapter sees it, and it sees no database.
  [
    /^adapters\/(sqlite|cloudflare)(\/|$)/,
    [...ADAPTERS, 'adapters/sql', 'adapters/sql/read-model', 'adapters/sql/sqlite'],
  ],
  [/^adapters\/postgres(\/|$)/, [...ADAPTERS, 'adapters/sql', 'adapters/sql/read-model']],
  [/^adapters\/[^/]+(\/|$)/, ADAPTERS],
  // Loads PostgreSQL at the first call.
  [/^testing(\/|$)/, [...ADAPTERS, 'adapters/postgres']],
  [/^laws(\/|$)/, [...ADAPTERS, 'laws', 'testing']],
  // Outsiders: they see the public names alone.
  // What every protocol shares sees none of them, and servers see no operation.
  [/^transport\/gen$/, []],
  [/^transport$/, ['', 'transport/**']],
  [/^transport\/(json|grpc)$/, ['', 'transport', 'transport/operations']],
  [/^transport\/operations$/, ['', 'transport']],
  [/^transport\/servers$/, ['transport']],
  [/^network$/, []],
  [/^node$/, ['network']],
  [/^oidc(\/|$)/, ['', 'network']],
  [/^webhooks(\/|$)/, ['', 'network', 'ports']],
  // Serves by the servers of the transport; of the library it sees types alone.
  [/^handlers$/, ['', 'transport', 'transport/servers']],
  [/^(authzen|scim)$/, ['', 'handlers', 'transport', 'transport/servers']],
  // Signs in by claviger/oidc; of the console it sees types alone.
  [/^better-auth$/, ['', 'oidc/index.ts', 'console/index.ts']],
  // Another outsider, which asks the built package by its name.
  [/^cli(\/|$)/, ['cli/**', 'csv.ts']],
  // Of the library it sees types, and the bounds of values.
  [/^import(\/|$)/, ['', 'domain', 'domain/identity-provider', 'domain/project']],
  // The console mounts the transport; its browser part sees the table of operations. What its pages are told, and the
  // names of pages and texts, both parts know.
  [
    /^console$/,
    [
      '',
      'handlers',
      'transport/index.ts',
      'transport/http.ts',
      'transport/handler-options.ts',
      // Types alone.
      'scim/index.ts',
      'console/gen',
      'console/browser/page-names.ts',
      'console/browser/settings.ts',
      'console/browser/english.ts',
    ],
  ],
  [/^console\/gen$/, []],
  [/^console\/browser(\/|$)/, ['console/browser', 'console/browser/**', 'csv.ts']],
  // Where the library is put together.
  [
    /^$/,
    [
      ...DOMAIN,
      'ports',
      'application/**',
      'adapters/store',
      'adapters/memory',
      'adapters/webcrypto',
    ],
  ],
]

/** Folders whose files run anywhere: they import nothing of Node.js. */
const RUNS_ANYWHERE =
  /^(domain|ports|application|projections|laws|testing|adapters\/(store|memory|webcrypto|sql|cloudflare)|oidc|import|webhooks|handlers|authzen|scim|better-auth|network)(\/|$)|^$/

/** What the pure part may import from elsewhere. */
const DOMAIN_PACKAGES = ['zod/mini', 'neverthrow']

/** What the command line may import from elsewhere: what a host has. */
const CLI_PACKAGES = /^(claviger(\/\w+)?|neverthrow|node:.+)$/

/** Of protobuf, the transport has the reader and the writer alone, which are bundled. */
const PROTOBUF = /^@(connectrpc|bufbuild)\//
const WIRE_FORMAT = '@bufbuild/protobuf/wire'

const specifiersIn = (source: string): readonly string[] =>
  [...source.matchAll(/(?<!['"])(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, path = '']) => path,
  )

const folderOf = (file: string): string => posix.dirname(file).replace(/^\.$/, '')

const targetOf = (file: string, specifier: string): string =>
  posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')

/** The files of the core besides their own that import the methods of set-up links, or speak of them. */
const knowingSetupLinks = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file]) => /^(index|create-iam)\.ts$|^application\/(?!setup-links\/)/.test(file))
    .filter(
      ([file, source]) =>
        importsOf(file, source).some((target) => target.startsWith('application/setup-links/')) ||
        /set-?up-?link/i.test(file === 'index.ts' || file === 'application/iam.ts' ? '' : source),
    )
    .map(([file]) => file)
    .toSorted()

const importsOf = (file: string, source: string): readonly string[] =>
  specifiersIn(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => targetOf(file, specifier))

/** Folders below an adapter or the laws are parts of one thing. */
const unitOf = (folder: string): string =>
  /^(adapters\/[^/]+|laws|testing|oidc|import|webhooks)(?=\/|$)/.exec(folder)?.[0] ?? folder

const isAllowed = (file: string, target: string): boolean => {
  const [from, to] = [folderOf(file), folderOf(target)]
  if (file === OPTIONS_CHECKER) return false
  if (target === OPTIONS_CHECKER)
    return !/^(domain|ports|projections|console\/browser)(\/|$)/.test(from)
  if (file === DOMAIN_INDEX) return DOMAIN.includes(to)
  // An aggregate that saw the list, or rules across aggregates, would see all others.
  if ((target === AGGREGATES || target === GENERATIONS) && from.startsWith('domain')) return false
  if (from === to) return true
  if (file === AGGREGATES) return DOMAIN.includes(to)
  if (target === PUBLIC_OBJECT) return from === ''
  if (target === WIRE && from.startsWith('console/browser')) return true
  const allowed = RULES.find(([rule]) => rule.test(file) || rule.test(from))?.[1] ?? []
  const isBelow = allowed.some(
    (folder) => folder.endsWith('/**') && to.startsWith(folder.slice(0, -3)),
  )
  return isBelow || allowed.includes(to) || allowed.includes(target) || unitOf(from) === unitOf(to)
}

const forbiddenImports = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, source]) =>
    importsOf(file, source)
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${file} -> ${target}`),
  )

const forbiddenPackages = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, source]) =>
    specifiersIn(source)
      .filter((specifier) => !specifier.startsWith('.'))
      .filter((name) => {
        const folder = folderOf(file)
        if (/^cli(\/|$)/.test(folder)) return !CLI_PACKAGES.test(name)
        if (PROTOBUF.test(name)) return name !== WIRE_FORMAT || !/^transport(\/grpc)?$/.test(folder)
        const isPure = folder.startsWith('domain')
        return isPure
          ? !DOMAIN_PACKAGES.includes(name)
          : RUNS_ANYWHERE.test(folder) && name.startsWith('node:')
      })
      .map((name) => `${file} -> ${name}`),
  )

const homeless = (sources: Sources): readonly string[] =>
  [...sources.keys()].filter((file) => !RULES.some(([folder]) => folder.test(folderOf(file))))

/** The lines of the drawing in CONTRIBUTING, from the top: the folders or files of each. */
const drawing: readonly (readonly string[])[] = (() => {
  const guide = readFileSync(join(import.meta.dirname, '../docs/CONTRIBUTING.md'), 'utf8')
  const [, lines = ''] = /imports only from lines below.*?```text\n(.*?)\n```/s.exec(guide) ?? []
  return lines.split('\n').map((line) => line.split(/ {2,}/)[0]?.split(' · ') ?? [])
})()

/** What the drawing has below every line. */
const SERVES_ALL = [OPTIONS_CHECKER, 'csv.ts', 'duplicates.ts', 'rfc3339.ts']

/** The line of a file in the drawing, and what of it the file belongs to. */
const placeOf = (file: string): readonly [line: number, part: string] => {
  const part = file.split('/')[0] ?? ''
  return [drawing.findIndex((line) => line.includes(part)), part]
}

/** Imports that the drawing does not show. */
const undrawn = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, source]) => {
    if (SERVES_ALL.includes(file)) return importsOf(file, source)
    const [line, part] = placeOf(file)
    if (line === -1) return [file]
    return importsOf(file, source)
      .filter((target) => !SERVES_ALL.includes(target))
      .filter((target) => {
        const [below, other] = placeOf(target)
        return other !== part && below <= line
      })
      .map((target) => `${file} -> ${target}`)
  })

/** Files that import themselves by way of others; imports of types count. */
const cycles = (sources: Sources): readonly string[] => {
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      found.add([...trail.slice(trail.indexOf(file)), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const target of importsOf(file, sources.get(file) ?? '')) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of sources.keys()) visit(file, [])
  return [...found]
}

/** What is declared, what the console has pages for, and laws of certain objects: no list that a new aggregate has to join. */
const OF_CERTAIN_TYPES =
  /^(application\/desired-state|console\/(browser|german\.ts)|laws\/read-model\/(history-|found-history))/

/** Where time and chance come from. A simulation has its own, so whatever takes them from elsewhere it cannot repeat. */
const ENVIRONMENT = 'ports/environment.ts'

/** What takes time and chance from the machine on purpose. */
const OUTSIDE_ENVIRONMENT: readonly (readonly [folderOrFile: RegExp, because: string])[] = [
  [
    /^(cli|console|transport|handlers|authzen)\//,
    'programs, browsers and servers: they hold no state',
  ],
  [/^scim\//, 'requests of directories: what they push is in the records of the host'],
  [/^better-auth\//, 'sign-ins and sessions: the host keeps them'],
  [/^network\//, 'requests to other hosts'],
  [/^oidc\//, 'sign-ins with a provider: sealed in a cookie, nothing is recorded'],
  [/^laws\//, 'laws, which run against real stores'],
  [/^create-iam\.ts$/, 'the defaults of the options now and newId'],
  [/^adapters\/webcrypto\//, 'the cipher, a port of its own'],
  [/^application\/evidence\/signed-note\.ts$/, 'keys and signatures'],
  [/^adapters\/sqlite\/connection\.ts$/, 'locks of other processes on a file'],
  [/^adapters\/postgres\/pg\.ts$/, 'sockets of a server'],
]

const TIME_OR_CHANCE =
  /\b(set(Timeout|Interval|Immediate)|queueMicrotask|nextTick|hrtime|performance\.now|Date\.now|AbortSignal\.timeout|Math\.random|crypto\.\w+|random(UUID|Bytes)|node:timers)\b|new Date\(\)/

/** Files that take time or chance from elsewhere than the environment, which they are given. */
const outsideEnvironment = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, source]) => {
    if (file === ENVIRONMENT || OUTSIDE_ENVIRONMENT.some(([place]) => place.test(file))) return []
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    const found = TIME_OR_CHANCE.exec(code)?.[0]
    return found === undefined ? [] : `${file}: ${found}`
  })

const GENERATED = /^transport\/(wire|gen\/openapi)\.ts$/

/** Files that name every aggregate, comments and names of other things aside. */
const namingAll = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, source]) => {
    if (GENERATED.test(file) || OF_CERTAIN_TYPES.test(file)) return []
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    // Names have `domain` alone, which would be no name for a folder beside them.
    const isNamed = (folder: string) =>
      new RegExp(posix.basename(folder).replace('email-', '').replace('-', '[-_]?'), 'i').test(code)
    return ANY_AGGREGATE.every(isNamed) ? file : []
  })

/** Imports name a file of TSX as they name others. */
const moduleOf = (file: string): string => file.replaceAll('\\', '/').replace(/\.tsx$/, '.ts')

const src = join(import.meta.dirname, '../src')
const sources: Sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [moduleOf(file), readFileSync(join(src, file), 'utf8')]),
)

const planted = (file: string, source: string): Sources => new Map([...sources, [file, source]])

describe('the layout of src', () => {
  it('gives every file a folder that the table knows', () => {
    expect(sources.size).toBeGreaterThan(50)
    expect(homeless(sources)).toEqual([])
  })

  it('keeps the directions of imports', () => {
    expect(forbiddenImports(sources)).toEqual([])
  })

  it('is as CONTRIBUTING draws it', () => {
    expect(undrawn(sources)).toEqual([])
    const parts = new Set([...sources.keys()].map((file) => placeOf(file)[1]))
    expect(drawing.flat().filter((part) => !parts.has(part))).toEqual([])
  })

  it('keeps packages out of where they do not belong', () => {
    expect(forbiddenPackages(sources)).toEqual([])
  })

  it('has no cycle of imports, not even of types', () => {
    expect(cycles(sources)).toEqual([])
  })

  it('names every aggregate only in the files that a new one edits', () => {
    const guide = readFileSync(join(src, '../docs/CONTRIBUTING.md'), 'utf8')
    const [, listed = ''] = /\*\*An aggregate\*\*.*?(\| file.*?)\n\n/s.exec(guide) ?? []
    const files = listed
      .split('\n')
      .flatMap((row) => row.split('|')[1]?.match(/[\w/-]+\.ts/g) ?? [])
    expect(namingAll(sources).toSorted()).toEqual(files.toSorted())
  })

  it('keeps set-up links out of every other call', () => {
    expect(knowingSetupLinks(sources)).toEqual(['application/iam.ts', 'index.ts'])
  })

  it('takes time and chance from the environment alone', () => {
    expect(outsideEnvironment(sources)).toEqual([])
  })

  it('exports whole files only where the reports of the public surface show each name', () => {
    const whole = [...sources].filter(([, source]) => /export (type )?\*/.test(source))
    expect(whole.map(([file]) => file)).toEqual(['index.ts', DOMAIN_INDEX])
  })
})

describe('a planted violation is found', () => {
  it.each([
    ['domain/values.ts', "import type { Decider } from './project/aggregate.js'"],
    [
      'domain/project/command-schemas.ts',
      "import { RoleKey } from '../project-role/command-schemas.js'",
    ],
    ['domain/project/aggregate.ts', "import { aggregates } from '../aggregates.js'"],
    ['domain/aggregate.ts', "import { aggregates } from './aggregates.js'"],
    ['domain/decider.ts', "import { isCurrent } from './role-generations.js'"],
    ['domain/user-grant/aggregate.ts', "import { isCurrent } from '../role-generations.js'"],
    ['domain/role-generations.ts', "import { domains } from './email-domain/aggregate.js'"],
    ['domain/aggregates.ts', "import type { Host } from '../ports/host.js'"],
    ['ports/host.ts', "import { iamOf } from '../application/iam.js'"],
    ['ports/host.ts', "import { checkOptions } from '../check-options.js'"],
    ['domain/values.ts', "import { checkOptions } from '../check-options.js'"],
    ['check-options.ts', "import { createIam } from './create-iam.js'"],
    ['projections/rows.ts', "export { iamOf } from '../application/iam.js'"],
    ['application/iam.ts', "import { memoryReadModel } from '../adapters/memory/read-model.js'"],
    ['application/reading/query.ts', "import type { Iam } from '../iam.js'"],
    ['application/method/input.ts', "import type { Runtime } from '../runtime.js'"],
    ['application/following/catch-up.ts', "import { get } from '../reading/list.js'"],
    ['application/recording/transact.ts', "import { get } from '../reading/list.js'"],
    [
      'application/recording/transact.ts',
      "import { writeObject } from '../writing/write-object.js'",
    ],
    ['cli/main.ts', "import { eventLine } from '../index.js'"],
    ['cli/commands/log.ts', "import { openSqlite } from '../../adapters/sqlite/index.js'"],
    [
      'application/projects/projects.ts',
      "import { addProjectRoles } from '../project-roles/project-roles.js'",
    ],
    ['adapters/memory/rows.ts', "import { openSqlite } from '../sqlite/index.js'"],
    ['adapters/sql/dialect.ts', "import type { Database } from '../sqlite/connection.js'"],
    ['adapters/memory/rows.ts', "import { allOf } from '../sql/dialect.js'"],
    ['adapters/cloudflare/index.ts', "import { openSqlite } from '../sqlite/index.js'"],
    ['adapters/postgres/index.ts', "import type { SqliteLimits } from '../sql/sqlite/dialect.js'"],
    ['adapters/sqlite/index.ts', "const late = await import('../memory/event-store.js')"],
    ['testing/index.ts', "import { iamOf } from '../application/iam.js'"],
    ['console/browser/api.ts', "import { nodeHandler } from '../../transport/index.js'"],
    ['transport/routes.ts', "import { iamOf } from '../application/iam.js'"],
    ['transport/json/read.ts', "import { readMessage } from '../grpc/codec.js'"],
    ['transport/operations/context.ts', "import { readJson } from '../json/read.js'"],
    ['transport/servers/node.ts', "import { Refusal } from '../operations/refusal.js'"],
    ['console/console-handler.ts', "import { createRoutes } from '../transport/routes.js'"],
  ])('in %s: %s', (file, line) => {
    expect(forbiddenImports(planted(file, line))).toHaveLength(1)
  })

  it.each([
    ['domain/values.ts', "import { ulid } from 'ulid'"],
    ['application/waiting.ts', "import { setTimeout } from 'node:timers/promises'"],
    ['create-iam.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['adapters/store/record-events.ts', "import { performance } from 'node:perf_hooks'"],
    ['adapters/sql/dialect.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['cli/running/database.ts', "import pg from 'pg'"],
    ['transport/grpc/codec.ts', "import { create } from '@bufbuild/protobuf'"],
    ['transport/json/read.ts', "import { BinaryReader } from '@bufbuild/protobuf/wire'"],
    ['transport/servers/fetch.ts', "import { Code } from '@connectrpc/connect'"],
    ['adapters/cloudflare/event-store.ts', "import { setImmediate } from 'node:timers'"],
  ])('in %s, of a package: %s', (file, line) => {
    expect(forbiddenPackages(planted(file, line))).toHaveLength(1)
  })

  it('as a cycle of types', () => {
    const source = "import type { ProjectCommand } from './project/command-schemas.js'"
    expect(cycles(planted('domain/message.ts', source))).not.toEqual([])
  })

  it('as an import that the drawing does not show', () => {
    const source = "import type { Host } from '../ports/host.js'"
    const found = ['domain/values.ts -> ports/host.ts']
    expect(undrawn(planted('domain/values.ts', source))).toEqual(found)
  })

  it('as a set-up link in the runtime of all calls', () => {
    const source = "import { linkDelegation } from './setup-links/link-delegation.js'"
    expect(knowingSetupLinks(planted('application/runtime.ts', source))).toContain(
      'application/runtime.ts',
    )
  })

  it('as a list of all aggregates', () => {
    const lists = namingAll(
      planted(
        'adapters/lists.ts',
        'identityProviders, projects, projectRoles, projectGrants, userGrants, domains, roleMappings, memberships, setupLinks',
      ),
    )
    expect(lists).toContain('adapters/lists.ts')
  })

  it.each([
    'await new Promise((resolve) => setTimeout(resolve, 10))',
    'const begin = performance.now()',
    "import { setImmediate } from 'node:timers'",
    'const holder = crypto.randomUUID()',
    'const at = new Date()',
  ])('as time or chance of the machine: %s', (source) => {
    expect(outsideEnvironment(planted('application/recording/transact.ts', source))).toHaveLength(1)
  })

  it('as a folder that nobody knows', () => {
    expect(homeless(planted('utils/strings.ts', ''))).toEqual(['utils/strings.ts'])
  })
})
