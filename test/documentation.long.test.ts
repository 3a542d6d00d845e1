import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, texts } from './documents.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'

// Examples are checked against the sources and run against the built package, as a reader would.
const execute = promisify(execFile)
/** Within the package, so that the examples find it by its name. */
const workshop = join(root, 'reports/documentation')

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

const examples: readonly Example[] = [...texts].flatMap(([document, text]) =>
  codeIn(text).map((_, index) => ({
    name: `${document}, example ${index + 1}`,
    file: join(workshop, `${document.replaceAll(/[^\w]+/g, '-')}-${index + 1}.ts`),
  })),
)

let server: PostgresServer
afterAll(() => server[Symbol.asyncDispose]())

/** An empty database, which an example reaches as `DATABASE_URL`: what another has stored is not there. */
const createDatabase = async (name: string): Promise<string> => {
  const client = new Client({ connectionString: server.connectionString })
  await client.connect()
  await client.query(`CREATE DATABASE "${name}"`)
  await client.end()
  return new URL(name, server.connectionString).href
}

beforeAll(async () => {
  server = await startPostgres({ settings: ['fsync=off'] })
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
    // Without `paths`, names of the package lead to `dist`, as in a host.
    compilerOptions: { noUnusedLocals: false, paths: {} },
  }
  await writeFile(join(workshop, 'tsconfig.json'), JSON.stringify(project))
})

describe('the documentation', () => {
  it('has no code that is not run', () => {
    const languages = [...texts.values()].flatMap((text) => [...text.matchAll(/^```(\w+)$/gm)])
    // The grants of the guide on PostgreSQL have a test of their own; test/ha/main.ts runs the configuration of a cluster,
    // test/docs/gateway.test.ts that of nginx, and test/docs/grpc-clients.long.test.ts the program in Python. `typescript`
    // declares names for a whole program, which test/types compiles; `css` is read by test/console/style.test.ts, and `text`,
    // a drawing of folders, by test/architecture.test.ts.
    const run = [
      'sh',
      'sql',
      'ts',
      'yaml',
      'haproxy',
      'ini',
      'nginx',
      'typescript',
      'python',
      'css',
      'text',
    ]
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
      env: { ...process.env, DATABASE_URL: await createDatabase(basename(file, '.ts')) },
    })
    expect(stderr.replaceAll(/^.*ExperimentalWarning.*\n(\(Use .*\n)?/gm, '')).toBe('')
  })
})
