import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ownFolder } from '../cli/command-line.js'

const root = resolve(import.meta.dirname, '../..')
const plugin = join(root, 'docs/examples/lint/results.grit')

const CODE = `export const guard = async (iam, orThrow, question, context) => {
  await iam.access.require(question, context) // discarded
  iam.projects.add(question, context) // discarded
  await orThrow(iam.access.require(question, context))
  const added = await iam.projects.add(question, context)
  if (added.isErr()) return added.error
  return iam.projects.add(question, context)
}
`

it('finds results that nobody handles with the plugin of the recipe', async () => {
  const folder = ownFolder()
  await copyFile(plugin, join(folder, 'results.grit'))
  await writeFile(join(folder, 'biome.json'), '{ "plugins": ["./results.grit"] }')
  await writeFile(join(folder, 'guard.js'), CODE)
  const biome = join(root, 'node_modules/.bin/biome')
  const { stdout } = await promisify(execFile)(biome, ['lint', '--reporter=github', 'guard.js'], {
    cwd: folder,
  }).catch((failed) => failed)
  const lines = [...stdout.matchAll(/title=plugin,.*?\bline=(\d+)/g)].map(([, line]) =>
    Number(line),
  )
  const discarded = CODE.split('\n').flatMap((line, index) =>
    line.includes('discarded') ? [index + 1] : [],
  )
  expect([...new Set(lines)]).toEqual(discarded)
})

it('is quoted in the guide', async () => {
  const guide = await readFile(join(root, 'docs/guides/recipes.md'), 'utf8')
  expect(guide).toContain(await readFile(plugin, 'utf8'))
})
