import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPrograms, pack, root, run, temporaryFolder, unpack } from './runtimes/host-folder.ts'

/** The oldest version that our range takes, of what our types are made of; installed beside the newest. */
const OLDEST = [
  ['neverthrow', 'neverthrow-8.0'],
  ['zod', 'zod-4.5'],
] as const

const NEWEST_COMPILER = ['7.0', '@typescript/native/bin/tsc'] as const

/** The oldest and the newest; other tests compile hosts with version 6. */
const COMPILERS = [['5.9', 'typescript-5.9/bin/tsc'], NEWEST_COMPILER] as const

/** A host that has `neverthrow` and `zod` of its own, and mixes them with ours. */
const HOST = `
import { AddProject, type Context, type Iam, type IamError, orThrow, type Project } from 'claviger'
import { okAsync, type Result, ResultAsync } from 'neverthrow'
import * as z from 'zod'
import * as mini from 'zod/mini'

declare const iam: Iam
declare const context: Context

export const call: ResultAsync<Project, IamError> = iam.projects.get({ id: 'p' }, context)
export const result: Result<Project, IamError> = await call
export const chained: ResultAsync<string, IamError> = okAsync('p')
  .andThen((id) => iam.projects.get({ id }, context))
  .map(({ name }) => name)
export const both: ResultAsync<Project[], IamError> = ResultAsync.combine([call, call])
export const value: Promise<Project> = orThrow(call)
export const commands = z.array(AddProject)
export const more = mini.array(AddProject)
export const body = z.object({ data: AddProject.shape.data })
export const name: string = body.parse({}).data.name
`

const linkTo = (folder: string, name: string, installed: string): Promise<void> =>
  symlink(join(root, 'node_modules', installed), join(folder, 'node_modules', name))

describe('A host with the oldest version of what our range takes', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>

  beforeAll(async () => {
    folder = await temporaryFolder()
    await unpack(await pack(folder.path), folder.path)
    await addPrograms(folder.path)
    for (const [name, installed] of OLDEST) {
      await rm(join(folder.path, 'node_modules', name))
      await linkTo(folder.path, name, installed)
    }
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
    }
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(folder.path, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['host.ts'] }),
    )
    await writeFile(join(folder.path, 'host.ts'), HOST)
  })
  afterAll(() => folder.dispose())

  const compile = async (compiler: string): Promise<string> => {
    const program = join(root, 'node_modules', compiler)
    const { stdout, stderr } = await run(process.execPath, [program, '--project', folder.path])
    return stdout + stderr
  }

  it.each(OLDEST)('has the version of %s that our range begins with', async (name, installed) => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const { version } = JSON.parse(
      await readFile(join(root, 'node_modules', installed, 'package.json'), 'utf8'),
    )
    expect(dependencies[name]).toBe(`^${version}`)
  })

  it.each(COMPILERS)('compiles with TypeScript %s', async (_, compiler) => {
    expect(await compile(compiler)).toBe('')
  })

  it('runs', async () => {
    const ran = await run(process.execPath, ['esm.mjs'], { cwd: folder.path })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^memory: project\.added.*\nSQLite: project\.added.*\n$/)
  })

  // What runs of zod is a copy of ours, of the newest version.
  it('takes our schemas for its own', async () => {
    const code = `
      import { AddProject } from 'claviger'
      import * as z from 'zod'
      const data = { id: '01K7B0S9RXCJH2QW5V3M8N6P4T', name: 'Portal' }
      const { success } = z.object({ of: z.array(AddProject) }).safeParse({ of: [{ type: 'AddProject', data }] })
      const { error } = z.array(AddProject).safeParse([{}])
      console.log(success, AddProject instanceof z.core.$ZodObject, error.issues.length > 0)
      console.log(z.compile(z.array(AddProject)).safeParse([1]).success, z.toJSONSchema(AddProject).type)`
    const parameters = ['--input-type=module', '--eval', code]
    expect(await run(process.execPath, parameters, { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: 'true true true\nfalse object\n',
    })
  })

  // Classes with private fields: why a range that is narrower than it has to be is a trap.
  it('would not compile with a second copy of another version', async () => {
    const own = join(folder.path, 'node_modules/claviger')
    await mkdir(join(own, 'node_modules'))
    await linkTo(own, 'neverthrow', 'neverthrow')
    expect(await compile(NEWEST_COMPILER[1])).toContain('private property')
  })
})
