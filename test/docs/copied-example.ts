import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runFolder } from '../run-folder.js'

const root = resolve(import.meta.dirname, '../..')

/** Copies a folder of docs/examples, as a reader would who then runs `npm install`. Needs a build. */
export const copyExample = (name: string): string => {
  const parent = mkdtempSync(join(runFolder() ?? tmpdir(), `${name}-`))
  const folder = join(parent, name)
  cpSync(join(root, 'docs/examples', name), folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(parent, 'node_modules'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/claviger'))
  return folder
}
