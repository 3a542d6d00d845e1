import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anchorsIn, linksIn } from './markdown.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'

// Examples are checked against the sources and run against the built package, as a reader would.
const execute = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
/** Within the package, so that the examples find it by its name. */
const workshop = join(root, 'reports/documentation')

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
  ...(await readdir(join(root, 'test'), { recursive: true }))
    // What the tests of runtimes install has documents of its own.
    .filter((file) => file.endsWith('README.md') && !file.includes('node_modules'))
    .map((file) => join('test', file)),
]

/** Indentation aside, so that a guide may quote what stands within a function. */
const linesOf = (code: string): string => code.replaceAll(/^ +/gm, '')

/** Programs that guides repeat or quote; each has a test of its own in test/docs. */
const programs = await Promise.all(
  (await readdir(join(root, 'docs/examples'), { recursive: true }))
    .filter((file) => file.endsWith('.ts'))
    .map(async (file) => linesOf(await readFile(join(root, 'docs/examples', file), 'utf8'))),
)

const codeIn = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = '']) => code)
    .filter((code) => !programs.some((program) => program.includes(linesOf(code))))

interface Example {
  readonly name: string
  readonly file: string
}

const examples: Example[] = []
const texts = new Map<string, string>()
for (const document of documents) {
  const text = await readFile(join(root, document), 'utf8')
  texts.set(document, text)
  codeIn(text).forEach((_, index) => {
    const file = `${document.replaceAll(/[^\w]+/g, '-')}-${index + 1}.ts`
    examples.push({ name: `${document}, example ${index + 1}`, file: join(workshop, file) })
  })
}

/** What guides reach as `DATABASE_URL`. */
let database: PostgresServer
afterAll(() => database[Symbol.asyncDispose]())

beforeAll(async () => {
  database = await startPostgres({ settings: ['fsync=off'] })
  await rm(workshop, { recursive: true, force: true })
  await mkdir(workshop, { recursive: true })
  const code = [...texts.values()].flatMap(codeIn)
  await Promise.all(
    examples.map(({ file }, index) => writeFile(file, `${code[index]}\nexport {}\n`)),
  )
  const extend = relative(workshop, join(root, 'tsconfig.json'))
  const project = {
    extends: extend,
    include: ['./*.ts'],
    compilerOptions: { noUnusedLocals: false },
  }
  await writeFile(join(workshop, 'tsconfig.json'), JSON.stringify(project))
})

describe('the documentation', () => {
  it('has no code that is not run', () => {
    const languages = [...texts.values()].flatMap((text) => [...text.matchAll(/^```(\w+)$/gm)])
    // The grants of the guide on PostgreSQL have a test of their own; test/ha/main.ts runs the configuration of a cluster,
    // test/docs/gateway.test.ts that of nginx, and test/docs/lint.test.ts the rule of a linter.
    const run = ['sh', 'sql', 'ts', 'yaml', 'haproxy', 'ini', 'nginx', 'grit']
    expect(new Set(languages.map(([, name]) => name))).toEqual(new Set(run))
  })

  it('has examples whose types are right', async () => {
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await execute(tsc, ['--project', workshop]).catch((failed) => failed)
    expect(stdout).toBe('')
  })

  it.each(examples)('has an example that runs: $name', async ({ file }) => {
    const { stderr } = await execute(process.execPath, [file], {
      cwd: root,
      timeout: 60_000,
      env: { ...process.env, DATABASE_URL: database.connectionString },
    })
    expect(stderr.replaceAll(/^.*ExperimentalWarning.*\n(\(Use .*\n)?/gm, '')).toBe('')
  })

  it.each([...texts])('links to what exists: %s', async (document, text) => {
    for (const link of linksIn(text)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : join(dirname(document), path)
      const found = await readFile(join(root, target), 'utf8').catch((error) =>
        error.code === 'EISDIR' ? '' : undefined,
      )
      expect(found, link).toBeDefined()
      if (anchor !== undefined) expect(anchorsIn(found ?? ''), link).toContain(anchor)
    }
  })
})

/** What tests and their groups are called: text that other arguments follow. */
const titlesIn = (source: string): readonly string[] =>
  [...source.matchAll(/\(\s*(['"`])(.+?)\1,/g)].map(([, , title = '']) => title)

describe('the trace of the specification', () => {
  const trace = texts.get('docs/spec-trace.md') ?? ''
  const rows = trace.split('\n').filter((line) => /“/.test(line))
  const sections = trace.split(/^## /m).slice(1, -1)

  it.each(rows)('names a test that exists: %s', async (row) => {
    const file = /`(test\/[^`]+)` “/.exec(row)?.[1] ?? 'test/specification.test.ts'
    const name = /“([^”]+)”/.exec(row)?.[1] ?? row
    const titles = titlesIn(await readFile(join(root, file), 'utf8'))
    expect(
      titles.filter((title) => title.includes(name)),
      `${file} “${name}”`,
    ).not.toEqual([])
  })

  it('names files that exist', async () => {
    const named = [...trace.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, file = '']) => file)
    const missing = named.filter((file) => !existsSync(join(root, file)))
    expect(missing).toEqual([])
  })

  it.each(sections)('leads from the specification to code and a test: %s', (section) => {
    expect(section).toMatch(/`src\/[^`]+`/)
    expect(section).toMatch(/“[^”]+”/)
  })

  it('is the only place that cites the specification: no docstring does', async () => {
    const files = await readdir(join(root, 'src'), { recursive: true })
    const sources = files.filter((file) => /\.(ts|tsx|proto)$/.test(file))
    expect(sources).toContain('index.ts')
    for (const file of sources)
      expect(await readFile(join(root, 'src', file), 'utf8'), file).not.toContain('Spec:')
  })
})

describe('npm start', () => {
  it('runs the quickstart without a surprise', async () => {
    const quickstart = join(root, 'docs/examples/quickstart.ts')
    const { stdout } = await execute(process.execPath, [quickstart], { cwd: root })
    expect(stdout).toContain('a role key twice: code 6')
    expect(stdout).toMatch(/Done\.\n$/)
  })
})
