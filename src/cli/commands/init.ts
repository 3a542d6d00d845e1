import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type Command, Failed } from '../command.js'

/** Within the package; the bundle is in its folder `dist`. */
const STARTER = resolve(import.meta.dirname, '../docs/examples/starter')

export const init: Command = {
  help: `Usage: claviger init [FOLDER]

Writes a small server into a folder, or into the current one: 'iam.ts' opens
an SQLite file, 'access.ts' declares roles, 'main.ts' guards a route and serves
the admin console, 'sign-in.ts' signs users in, and 'demo.ts' has people with a
month of history. '.gitignore' keeps the key and the database out of commits;
'package.json' gets "type": "module". Never overwrites a file.

  claviger init && node main.ts`,
  options: {},
  positionals: [0, 1],
  run: async ({ positionals: [folder = '.'], terminal }) => {
    const { versions } = process
    if (!runsTypeScript(versions))
      throw new Failed(
        `The files need Node.js 22.18 or later (of 23, 23.6), which runs TypeScript; this is ${versions.node}: update it, then run this again`,
      )
    await mkdir(folder, { recursive: true })
    const taken = new Set(await readdir(folder))
    const files = (await readdir(STARTER)).filter((file) => file !== PACKAGE || !taken.has(PACKAGE))
    const existing = files.filter((file) => taken.has(file))
    if (existing.length > 0)
      throw new Failed(`${existing.join(', ')} already exists: name another folder`)
    if (taken.has(PACKAGE)) await makeModule(join(folder, PACKAGE))
    if (!taken.has(IGNORED)) await writeFile(join(folder, IGNORED), SECRETS, { flag: 'wx' })
    else if (!(await readFile(join(folder, IGNORED), 'utf8')).includes('iam.key'))
      terminal.note(`Add to ${IGNORED}: ${SECRETS.trim().replaceAll('\n', ', ')}`)
    for (const file of files) {
      await copyFile(join(STARTER, file), join(folder, file), constants.COPYFILE_EXCL)
      await terminal.print(join(folder, file))
    }
    const steps = [
      ...(folder === '.' ? [] : [`cd ${folder}`]),
      ...(isInstalled(folder) ? [] : ['npm install']),
      'node main.ts',
    ]
    terminal.note(`Run it: ${steps.join(' && ')}`)
    return 0
  },
}

const PACKAGE = 'package.json'

/** Sets the missing type of a package, which `npm install` leaves out. @throws Failed for a CommonJS package */
const makeModule = async (file: string): Promise<void> => {
  const text = await readFile(file, 'utf8')
  const content: unknown = parsed(file, text)
  if (typeof content !== 'object' || content === null || !('type' in content))
    return writeFile(file, `${JSON.stringify({ type: 'module', ...Object(content) }, null, 2)}\n`)
  if (content.type !== 'module')
    throw new Failed(
      `${file} says "type": "${content.type}": run npm pkg set type=module, or name another folder`,
    )
}

const parsed = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failed(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** Whether the files find claviger from their folder. */
const isInstalled = (folder: string): boolean => {
  try {
    createRequire(resolve(folder, 'main.ts')).resolve('claviger')
    return true
  } catch {
    return false
  }
}

const IGNORED = '.gitignore'

/** The key of client secrets, and the database with its log. */
const SECRETS = 'iam.key\niam.db\niam.db-*\n'

/** Whether Node.js runs TypeScript without a flag; other runtimes with its interfaces do. */
export const runsTypeScript = ({
  node,
  bun,
  deno,
}: Readonly<Record<string, string | undefined>>): boolean => {
  const [major = 0, minor = 0] = (node ?? '').split('.').map(Number)
  const least = new Map([
    [22, 18],
    [23, 6],
  ]).get(major)
  return Boolean(bun ?? deno) || (least === undefined ? major > 23 : minor >= least)
}
