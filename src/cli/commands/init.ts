import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Failed } from '../command.js'

/** Within the package; the bundle is in its folder `dist`. */
const STARTER = resolve(import.meta.dirname, '../docs/examples/starter')

export const init: Command = {
  help: `Usage: claviger init [FOLDER]

Writes a small server into a folder, or into the current one: 'iam.ts' opens
an SQLite file, 'access.ts' declares roles, 'sign-in.ts' signs users in, and
'main.ts' guards a route and serves the admin console. '.gitignore' keeps the
key and the database out of commits. Never overwrites a file.

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
    // Not package.json: the folder has one, with claviger in it.
    const files = (await readdir(STARTER)).filter((file) => file.endsWith('.ts'))
    const taken = new Set(await readdir(folder))
    const existing = files.filter((file) => taken.has(file))
    if (existing.length > 0)
      throw new Failed(`${existing.join(', ')} already exists: name another folder`)
    if (!taken.has(IGNORED)) await writeFile(join(folder, IGNORED), SECRETS, { flag: 'wx' })
    else if (!(await readFile(join(folder, IGNORED), 'utf8')).includes('iam.key'))
      terminal.note(`Add to ${IGNORED}: ${SECRETS.trim().replaceAll('\n', ', ')}`)
    for (const file of files) {
      await copyFile(join(STARTER, file), join(folder, file), constants.COPYFILE_EXCL)
      await terminal.print(join(folder, file))
    }
    terminal.note(`Run it: ${folder === '.' ? '' : `cd ${folder} && `}node main.ts`)
    return 0
  },
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
