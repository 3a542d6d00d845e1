import { constants } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Failed } from '../command.js'

/** Within the package; the bundle is in its folder `dist`. */
const STARTER = resolve(import.meta.dirname, '../docs/examples/starter')

export const init: Command = {
  help: `Usage: claviger init [FOLDER]

Writes a small server into a folder, or into the current one: 'iam.ts' opens
an SQLite file, 'access.ts' declares roles, 'sign-in.ts' signs users in, and
'main.ts' guards a route and serves the admin console. Never overwrites a file.

  claviger init && node main.ts`,
  options: {},
  positionals: [0, 1],
  run: async ({ positionals: [folder = '.'], terminal }) => {
    await mkdir(folder, { recursive: true })
    // Not package.json: the folder has one, with claviger in it.
    const files = (await readdir(STARTER)).filter((file) => file.endsWith('.ts'))
    const taken = new Set(await readdir(folder))
    const existing = files.filter((file) => taken.has(file))
    if (existing.length > 0)
      throw new Failed(`${existing.join(', ')} already exists: name another folder`)
    for (const file of files) {
      await copyFile(join(STARTER, file), join(folder, file), constants.COPYFILE_EXCL)
      await terminal.print(join(folder, file))
    }
    terminal.note(`Run it: ${folder === '.' ? '' : `cd ${folder} && `}node main.ts`)
    return 0
  },
}
