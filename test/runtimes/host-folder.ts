// Installs the packed package as a host would, and runs what it is given there.
import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** What a program left behind. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. Never rejects: `code` is -1 when it could not be started. */
export const run = (
  command: string,
  parameters: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(command, [...parameters], { timeout: 120_000, ...options })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('error', (error) => resolve({ code: -1, stdout, stderr: String(error) }))
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }))
  })

/** Packs the built package; gives back the path of the tarball. */
export const pack = async (folder: string): Promise<string> => {
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  })
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  if (packed.code !== 0 || file === undefined) throw new Error(packed.stderr)
  return join(folder, file)
}

/** A folder of its own, gone with `dispose`. */
export const temporaryFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'claviger-consumer-'))
  return { path, dispose: () => rm(path, { recursive: true, force: true }) }
}

/** The tarball unpacked as npm would, on the dependencies that are here: quick, and without a network. */
export const unpack = async (tarball: string, folder: string): Promise<void> => {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, 'claviger'), { recursive: true })
  const { code, stderr } = await run('tar', [
    '-xzf',
    tarball,
    '-C',
    join(modules, 'claviger'),
    '--strip-components=1',
  ])
  if (code !== 0) throw new Error(stderr)
  for (const scope of ['@types', '@noble']) await mkdir(join(modules, scope))
  for (const name of ['zod', 'neverthrow', 'ulid', '@noble/hashes', '@types/node', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(modules, name))
}

/** Puts the programs of the smoke suite where they find the package. */
export const addPrograms = async (folder: string): Promise<void> => {
  await cp(join(import.meta.dirname, 'smoke.mjs'), join(folder, 'smoke.mjs'))
  for (const name of ['consumer.ts', 'consumer.mts'])
    await cp(join(import.meta.dirname, 'consumer.ts'), join(folder, name))
  for (const example of ['embed-worker.ts', 'embed-console.ts'])
    await cp(join(root, 'docs/examples', example), join(folder, example))
  await writeFile(join(folder, 'worker.mjs'), WORKER)
  const report = 'console.log((await smoke(claviger, sqlite?.openSqlite)).join("\\n"))'
  await writeFile(join(folder, 'web.mjs'), WEB)
  await writeFile(
    join(folder, 'esm.mjs'),
    `import * as claviger from 'claviger'
import { smoke } from './smoke.mjs'
// Not every runtime has node:sqlite.
const hasSqlite = await import('node:sqlite').then(() => true, () => false)
const sqlite = hasSqlite ? await import('claviger/sqlite') : undefined
${report}
`,
  )
  await writeFile(
    join(folder, 'cjs.cjs'),
    `const claviger = require('claviger')
const sqlite = require('claviger/sqlite')
require('claviger/laws')
require('claviger/testing')
import('./smoke.mjs').then(async ({ smoke }) => ${report})
`,
  )
}

/** Puts the programs that sign in beside them; they need `openid-client`. */
export const addSignIn = async (folder: string): Promise<void> => {
  await cp(join(import.meta.dirname, 'sign-in.mjs'), join(folder, 'sign-in.mjs'))
  const loaded = `import * as claviger from 'claviger'
import * as oidc from 'claviger/oidc'
import { signInOnce } from './sign-in.mjs'
`
  await writeFile(
    join(folder, 'oidc.mjs'),
    `${loaded}console.log(await signInOnce(claviger, oidc))\n`,
  )
  await writeFile(
    join(folder, 'oidc.cjs'),
    `const [claviger, oidc] = [require('claviger'), require('claviger/oidc')]
import('./sign-in.mjs').then(async ({ signInOnce }) => console.log(await signInOnce(claviger, oidc)))
`,
  )
  await writeFile(
    join(folder, 'web-oidc.mjs'),
    `${loaded}globalThis.smoke = async () => [await signInOnce(claviger, oidc)]\n`,
  )
}

/** For what has neither a console nor modules: one bundle, which leaves a function behind. */
const WEB = `import * as claviger from 'claviger'
import { smoke } from './smoke.mjs'
globalThis.smoke = () => smoke(claviger)

// One host for all requests, with a store that takes its time.
let host
const open = async () => {
  const store = claviger.memoryEventStore()
  const append = (appended) =>
    new Promise((resolve) => setTimeout(resolve, 30)).then(() => store.append(appended))
  const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
  const secrets = claviger.aesGcmCipher({ current: 'k1', keys })
  const iam = claviger.createIam({ store: { ...store, append }, secrets, authorize: () => true })
  const context = { caller: { userId: 'u1', orgId: 'acme' } }
  await iam.projects.add({ id: 'portal', name: 'Portal' }, context)
  host = (name) => iam.projects.update({ id: 'portal', name }, context)
}
globalThis.rename = async (name) => {
  if (!host) await open()
  const renamed = await host(name)
  return renamed.isOk() ? [name] : [renamed.error.kind]
}
`

/** A worker as the guide has it, on a store that lasts as long as the isolate. */
const WORKER = `import { aesGcmCipher, createIam, memoryEventStore, permissionsFromCaller } from 'claviger'
import { consoleInWorker } from './embed-console.ts'
import { asWorker } from './embed-worker.ts'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: permissionsFromCaller })
const permissions = ['project.read', 'project.write']

const options = {
  authenticate: (headers) =>
    headers.has('authorization') ? { userId: 'u1', orgId: 'acme', permissions } : undefined,
}

export default consoleInWorker(asWorker(iam, options).fetch, iam, options)
`

/** Every way in which a TypeScript consumer may resolve modules. */
export const RESOLUTIONS = [
  // This old mode does not know that Node.js loads ES modules with `require`.
  { module: 'node16', moduleResolution: 'node16', consumer: 'consumer.mts' },
  { module: 'nodenext', moduleResolution: 'nodenext', consumer: 'consumer.ts' },
  { module: 'esnext', moduleResolution: 'bundler', consumer: 'consumer.ts' },
] as const

/** Type-checks a consumer; gives back what the compiler said. */
export const typeCheck = async (
  folder: string,
  { module, moduleResolution, consumer }: (typeof RESOLUTIONS)[number],
): Promise<string> => {
  const project = join(folder, `tsconfig.${moduleResolution}.json`)
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    declaration: true,
    noEmit: true,
  }
  await writeFile(project, JSON.stringify({ compilerOptions, files: [consumer] }))
  const { stdout, stderr } = await run(join(root, 'node_modules/.bin/tsc'), ['--project', project])
  return stdout + stderr
}
