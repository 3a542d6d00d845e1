import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pack, run, temporaryFolder, unpack } from '../runtimes/host-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

/** The package where a host would have it, without anything that is to be installed beside it. */
beforeAll(async () => {
  folder = await temporaryFolder()
  await unpack(await pack(folder.path), folder.path)
})

afterAll(() => folder.dispose())

const LOADS = [
  ['module', 'await import'],
  ['commonjs', 'require'],
] as const

/** What a program prints of the error that opening ends with. */
const messageOf = async (
  [type, load]: readonly [type: string, load: string],
  [subpath, call]: readonly [subpath: string, call: string],
  flags: readonly string[] = [],
): Promise<string> => {
  const program = `
    const opened = ${load}('claviger/${subpath}')
    const open = async () => opened.${call}
    open().then(() => console.log('opened'), ({ message }) => console.log(message))`
  const parameters = [...flags, `--input-type=${type}`, '--eval', program]
  const { code, stdout, stderr } = await run(process.execPath, parameters, { cwd: folder.path })
  return code === 0 ? stdout.trim() : stderr
}

describe.each(LOADS)('In a program of type %s', (type, how) => {
  const load = [type, how] as const

  test('openPostgres says that the driver is to be installed', async () => {
    const call = `openPostgres({ connectionString: 'postgres://localhost/iam' })`
    expect(await messageOf(load, ['postgres', call])).toBe(
      'claviger/postgres needs the driver of PostgreSQL: npm install pg',
    )
  })

  test('openPostgres needs no driver for a pool, nor for a driver of the host', async () => {
    const away = `{ connect: async () => { throw new Error('away') }, options: {} }`
    for (const call of [`openPostgres({ pool: ${away} })`, `openPostgres({ driver: ${away} })`])
      expect(await messageOf(load, ['postgres', call])).toBe('PostgreSQL: away')
  })

  test('openSqlite says which runtimes have SQLite', async () => {
    const call = ['sqlite', `openSqlite(':memory:')`] as const
    expect(await messageOf(load, call)).toBe('opened')
    expect(await messageOf(load, call, ['--no-experimental-sqlite'])).toBe(
      'claviger/sqlite needs node:sqlite: use Node.js 22.13 or later (of 23, 23.4), or a Deno or Bun that has it',
    )
  })
})
