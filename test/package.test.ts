import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// Shared with `npm run test:runtimes`, which has every runtime do the same.
import {
  addPrograms,
  pack,
  RESOLUTIONS,
  run,
  temporaryFolder,
  typeCheck,
  unpack,
} from './runtimes/host-folder.ts'

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
    const file = join(folder.path, 'lone.ts')
    await writeFile(file, "export * from 'claviger/sqlite'\n")
    const options = { module: 'nodenext', target: 'es2025', strict: true, noEmit: true }
    const compilerOptions = { ...options, types: [] }
    const project = join(folder.path, 'tsconfig.lone.json')
    await writeFile(project, JSON.stringify({ compilerOptions, files: [file] }))
    const tsc = join(import.meta.dirname, '../node_modules/.bin/tsc')
    expect((await run(tsc, ['--project', project])).stdout).toBe('')
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
      for (const other of ['sqlite', 'postgres', 'transport', 'testing'])
        expect(loaded).not.toContain(`${other}.${end}`)
    },
  )

  it('brings what it uses of zod, and its licence', async () => {
    const dist = join(folder.path, 'node_modules/claviger/dist')
    const programs = (await readdir(dist)).filter((name) => /\.c?js$/.test(name))
    expect(programs).toEqual(expect.arrayContaining(['index.js', 'index.cjs']))
    for (const name of programs) {
      const program = await readFile(join(dist, name), 'utf8')
      expect(program, name).not.toMatch(/(from|require\(|import\() ?['"]zod/)
    }
    const licence = await readFile(join(dist, 'zod.LICENSE'), 'utf8')
    expect(licence).toContain('The above copyright notice and this permission notice shall be')
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
