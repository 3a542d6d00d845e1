import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linksIn } from './markdown.js'
// Shared with `npm run test:runtimes`, which has every runtime do the same.
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
const OTHERS = ['sqlite', 'postgres', 'transport', 'oidc', 'testing', 'console', 'webhooks']

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

  it.each([
    ['mts', 'await import'],
    ['cts', 'require'],
  ])('has types that call a value what is one when it runs: %s', async (end, load) => {
    const subpaths = ['claviger', ...OTHERS.map((other) => `claviger/${other}`)]
    const checks: string[] = []
    for (const [n, subpath] of subpaths.entries()) {
      const code = `console.log(JSON.stringify(Object.keys(${load}('${subpath}'))))`
      const type = `--input-type=${end === 'mts' ? 'module' : 'commonjs'}`
      const { stdout } = await run(process.execPath, [type, '--eval', code], { cwd: root })
      const values: readonly string[] = JSON.parse(stdout)
      checks.push(`import * as module${n} from '${subpath}'
        export const names${n}: Record<keyof typeof module${n}, 0> = {
          ${values.map((value) => `${value}: 0`).join()} }`)
    }
    const options = { skipLibCheck: true }
    expect(await compile(join(folder.path, `values.${end}`), checks.join('\n'), options)).toBe('')
  })

  it.each(['d.ts', 'd.cts'])(
    'has types of the core that load no other subpath: %s',
    async (end) => {
      const dist = join(folder.path, 'node_modules/claviger/dist')
      const loaded = new Set([`index.${end}`])
      for (const file of loaded) {
        const types = await readFile(join(dist, file), 'utf8')
        for (const [, name] of types.matchAll(/['"]\.\/(.+?)\.c?js['"]/g))
          loaded.add(`${name}.${end}`)
      }
      expect(loaded.size).toBeGreaterThan(3)
      for (const other of OTHERS) expect(loaded).not.toContain(`${other}.${end}`)
    },
  )

  it('has documents that link to nothing but what is in it', async () => {
    const installed = join(folder.path, 'node_modules/claviger')
    const files = await readdir(installed, { recursive: true })
    const documents = files.filter((file) => file.endsWith('.md'))
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/spec-trace.md']))
    const dead: string[] = []
    for (const document of documents) {
      for (const link of linksIn(await readFile(join(installed, document), 'utf8'))) {
        const target = join(installed, dirname(document), link.replace(/#.*/, ''))
        const isIn = `${target}${sep}`.startsWith(`${installed}${sep}`)
        if (!isIn || !existsSync(target)) dead.push(`${document} -> ${link}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('shares zod with the host', async () => {
    const dist = join(folder.path, 'node_modules/claviger/dist')
    const programs = (await readdir(dist)).filter((name) => /\.c?js$/.test(name))
    const texts = await Promise.all(programs.map((name) => readFile(join(dist, name), 'utf8')))
    expect(texts.filter((text) => /(from |require\()['"]zod\/mini['"]/.test(text))).not.toEqual([])
    // A name that only the source of zod declares.
    expect(texts.filter((text) => text.includes('class $ZodAsyncError'))).toEqual([])
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

  it('does not load SQLite with its root', async () => {
    const code = `
      const before = new Set(process.moduleLoadList)
      await import('claviger')
      await import('claviger/testing')
      console.log(process.moduleLoadList.filter((name) => !before.has(name) && /sqlite/.test(name)).length)`
    const parameters = ['--input-type=module', '--eval', code]
    expect(await run(process.execPath, parameters, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: '0\n',
    })
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
