import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linksIn } from './markdown.js'
// Shared with runtimes/run.ts, which has every runtime do the same.
import {
  addPrograms,
  pack,
  RESOLUTIONS,
  root,
  run,
  temporaryFolder,
  typeCheck,
  unpack,
} from './runtimes/host-folder.ts'

/** The subpaths beside the core. */
const OTHERS = [
  'domain',
  'evidence',
  'sqlite',
  'postgres',
  'transport',
  'json',
  'client',
  'oidc',
  'laws',
  'testing',
  'console',
  'import',
  'cloudflare',
  'webhooks',
]

describe('The package, unpacked where a host would have it', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>

  beforeAll(async () => {
    folder = await temporaryFolder()
    await unpack(await pack(folder.path), folder.path)
    await addPrograms(folder.path)
  })
  afterAll(() => folder.dispose())

  it.each(['esm.mjs', 'cjs.cjs'])('does its work in %s, without a warning', async (file) => {
    const ran = await run(process.execPath, [file], { cwd: folder.path })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^memory: project\.added.*\nSQLite: project\.added.*\n$/)
  })

  it('does its work where no code may be made of text', async () => {
    const parameters = ['--disallow-code-generation-from-strings', 'esm.mjs']
    const ran = await run(process.execPath, parameters, { cwd: folder.path })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^memory: project\.added.*\nSQLite: project\.added.*\n$/)
  })

  it.each(RESOLUTIONS)('has types for moduleResolution $moduleResolution', async (resolution) => {
    expect(await typeCheck(folder.path, resolution)).toBe('')
  })

  it('has types of claviger/sqlite for a host that names no types and no library of any', async () => {
    const source = "export * from 'claviger/sqlite'\n"
    expect(await compile(join(folder.path, 'lone.ts'), source)).toBe('')
  })

  it('has types of claviger/cloudflare for the storage of a Durable Object, as a worker is compiled', async () => {
    const types = join(root, 'node_modules/@cloudflare/workers-types/index.d.ts')
    const source = `import { DurableObject } from 'cloudflare:workers'
      import { createIam, permissionsFromCaller } from 'claviger'
      import { durableObjectStore } from 'claviger/cloudflare'
      export class Tenant extends DurableObject {
        readonly iam = createIam({
          ...durableObjectStore(this.ctx.storage),
          secrets: null!,
          authorize: permissionsFromCaller,
        })
      }\n`
    const options = { lib: ['es2024', 'esnext.disposable'], types: [types], skipLibCheck: true }
    expect(await compile(join(folder.path, 'object.ts'), source, options)).toBe('')
  })

  it('has types that call a value what is one when it runs', async () => {
    const subpaths = ['claviger', ...OTHERS.map((other) => `claviger/${other}`)]
    const checks: string[] = []
    for (const [n, subpath] of subpaths.entries()) {
      const code = `console.log(JSON.stringify(Object.keys(await import('${subpath}'))))`
      const parameters = ['--input-type=module', '--eval', code]
      const { stdout } = await run(process.execPath, parameters, { cwd: root })
      const values: readonly string[] = JSON.parse(stdout)
      checks.push(`import * as module${n} from '${subpath}'
        export const names${n}: Record<keyof typeof module${n}, 0> = {
          ${values.map((value) => `${value}: 0`).join()} }`)
    }
    const options = { skipLibCheck: true }
    expect(await compile(join(folder.path, 'values.mts'), checks.join('\n'), options)).toBe('')
  })

  it('has types of the core that load no other subpath', async () => {
    const dist = join(folder.path, 'node_modules/claviger/dist')
    const loaded = new Set(['index.d.ts'])
    for (const file of loaded) {
      const types = await readFile(join(dist, file), 'utf8')
      for (const [, name] of types.matchAll(/['"]\.\/(.+?)\.js['"]/g)) loaded.add(`${name}.d.ts`)
    }
    expect(loaded.size).toBeGreaterThan(3)
    for (const other of OTHERS) expect(loaded).not.toContain(`${other}.d.ts`)
  })

  it('has documents that link only to packed files', async () => {
    const installed = join(folder.path, 'node_modules/claviger')
    const files = await readdir(installed, { recursive: true })
    const documents = files.filter((file) => file.endsWith('.md'))
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/spec-trace.md']))
    const dead: string[] = []
    for (const document of documents) {
      for (const link of linksIn(await readFile(join(installed, document), 'utf8'))) {
        const target = join(installed, dirname(document), link.replace(/#.*/, ''))
        const isIn = `${target}${sep}`.startsWith(`${installed}${sep}`)
        // The pictures of the guide to the console would be a third of the package: they are on the site alone.
        const isPicture = existsSync(join(root, dirname(document), link)) && link.endsWith('.webp')
        if (!isPicture && (!isIn || !existsSync(target))) dead.push(`${document} -> ${link}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('brings what it uses of zod and ulid, without their languages and node:crypto', async () => {
    const dist = join(folder.path, 'node_modules/claviger/dist')
    const programs = (await readdir(dist)).filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(programs.map((name) => readFile(join(dist, name), 'utf8')))
    expect(
      texts.filter((text) => /from ['"](zod|ulid)\b|import ['"](zod|ulid)\b/.test(text)),
    ).toEqual([])
    expect(texts.filter((text) => text.includes('$ZodAsyncError=class'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('Ungültige Eingabe'))).toEqual([])
  })

  it('has schemas that the zod of the host takes for its own', async () => {
    const code = `
      import * as z from 'zod'
      import { AddProject } from 'claviger'
      z.config(z.locales.de())
      const { error } = z.array(AddProject).safeParse([{}])
      console.log(AddProject instanceof z.core.$ZodObject, error instanceof z.ZodError)
      console.log(error.issues[1].message)
      console.log(z.toJSONSchema(AddProject).type)`
    const parameters = ['--input-type=module', '--eval', code]
    expect(await run(process.execPath, parameters, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: 'true true\nUngültige Eingabe: erwartet object, erhalten undefined\nobject\n',
    })
  })

  it.each([
    ['English by itself', '', 'Unrecognized key: "x"'],
    [
      'the language that the host chose before',
      "const z = await import('zod'); z.config(z.locales.de())",
      'Unbekannter Schlüssel: "x"',
    ],
  ])('has schemas that speak %s', async (_, before, message) => {
    const code = `
      ${before}
      const { AddProject } = await import('claviger')
      const { error } = AddProject.safeParse({ type: 'AddProject', data: {}, x: 1 })
      console.log(error.issues.at(-1).message)`
    const parameters = ['--input-type=module', '--eval', code]
    expect(await run(process.execPath, parameters, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: `${message}\n`,
    })
  })

  describe('has a command line, which', () => {
    const cli = () => join(folder.path, 'node_modules', 'claviger', 'dist', 'cli.js')
    const claviger = (...parameters: readonly string[]) =>
      run(process.execPath, [cli(), ...parameters], { cwd: folder.path })

    it('is the program of the package', async () => {
      const installed = join(folder.path, 'node_modules', 'claviger')
      const { bin, version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
      expect(join(installed, bin.claviger)).toBe(cli())
      expect(await readFile(cli(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
      expect(await claviger('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    })

    it('does its work on SQLite', async () => {
      await writeFile(join(folder.path, 'a.json'), '{"projects":[{"id":"p","name":"P"}]}')
      const applied = await claviger('apply', 'a.json', '--org', 'o', '--db', 'cli.db', '--create')
      expect(applied).toMatchObject({ code: 0, stderr: '' })
      const doctor = await claviger('doctor', '--db', 'cli.db', '--json')
      expect(JSON.parse(doctor.stdout)).toMatchObject({
        events: 1,
        database: expect.stringMatching(/^SQLite/),
      })
    })

    it('names the packages that a host has to install beside it', async () => {
      const { code, stderr } = await claviger('log', '--db', 'postgres://127.0.0.1:1/x')
      expect(code).toBe(1)
      expect(stderr).toMatch(/^claviger: claviger\/postgres needs .*: npm install pg: Cannot find/)
    })

    it('serves the console, which needs no other package', async () => {
      const serving = spawn(process.execPath, [cli(), 'serve', '--port', '0', '--json'])
      const [line] = await once(serving.stdout, 'data')
      const { console } = JSON.parse(String(line))
      const pages = await fetch(new URL('/console/', console))
      expect([pages.status, await pages.text()]).toEqual([200, expect.stringContaining('<script')])
      const document = await fetch(new URL('/openapi.json', console))
      expect([document.status, (await document.json()).info.title]).toEqual([200, 'claviger'])
      serving.kill('SIGINT')
      expect(await once(serving, 'exit')).toEqual([0, null])
    })
  })

  it('does not load SQLite with its root', async () => {
    const code = `
      const before = new Set(process.moduleLoadList)
      await import('claviger')
      await import('claviger/laws')
      await import('claviger/testing')
      console.log(process.moduleLoadList.filter((name) => !before.has(name) && /sqlite/.test(name)).length)`
    const parameters = ['--input-type=module', '--eval', code]
    expect(await run(process.execPath, parameters, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: '0\n',
    })
  })
})

describe('Publishing', () => {
  const check = (folder: string) =>
    run(process.execPath, [join(root, '.ci/publish-check.mjs'), folder])

  it('is refused without what only an owner can give, with a message', async () => {
    const { code, stderr } = await check(root)
    expect(code).toBe(1)
    for (const name of ['author', 'repository', 'homepage', 'bugs'])
      expect(stderr).toContain(`NOT TO BE PUBLISHED: package.json has no ${name}:`)
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(scripts.prepublishOnly).toMatch(/^node \.ci\/publish-check\.mjs && /)
  })

  it('is let go with addresses, provenance, and a section in the changelog', async () => {
    const folder = await temporaryFolder()
    const manifest = {
      version: '1.0.0',
      author: 'x',
      repository: 'x',
      homepage: 'x',
      bugs: 'x',
      publishConfig: { provenance: true },
    }
    const write = (name: string, text: string) => writeFile(join(folder.path, name), text)
    await write('package.json', JSON.stringify(manifest))
    await write('CHANGELOG.md', '## [1.0.0] - 2027-01-01\n')
    expect(await check(folder.path)).toEqual({ code: 0, stdout: '', stderr: '' })
    await write('CHANGELOG.md', '## [Unreleased]\n')
    expect((await check(folder.path)).stderr).toContain('CHANGELOG.md has no section')
    await folder.dispose()
  })
})

/** What the compiler says of `source` at the path `file`, by a project that names no types of others. */
const compile = async (file: string, source: string, more?: object): Promise<string> => {
  const options = { module: 'nodenext', target: 'es2025', strict: true, noEmit: true, types: [] }
  const project = `${file}.json`
  await writeFile(file, source)
  await writeFile(
    project,
    JSON.stringify({ compilerOptions: { ...options, ...more }, files: [file] }),
  )
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['--project', project])
  return stdout
}
