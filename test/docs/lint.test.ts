import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ownFolder } from '../cli/command-line.js'

const root = resolve(import.meta.dirname, '../..')
const rules = join(root, 'docs/examples/lint')

/** Each wrong line ends with a comment. */
const CODE = `export const guard = async (iam, orThrow, items, question, context, host) => {
  await iam.access.require(question, context) // discarded
  iam.projects.add(question, context) // discarded
  await host.iam.projects.add(question, context) // discarded
  await iam.apply(question, context) // discarded
  if (await iam.access.check(question, context)) return 1 // tested
  if (iam.access.check(question, context)) return 1 // tested
  if (!(await iam.access.check(question, context))) return 1 // tested
  const one = (await iam.access.check(question, context)) ? 1 : 2 // tested
  const two = (await iam.access.check(question, context)) && 2 // tested
  while (await iam.access.check(question, context)) host.log(one, two) // tested
  for await (const row of iam.projects.list({}, context)) host.log(row) // iterated
  for (const row of await iam.projects.list({}, context)) host.log(row) // iterated
  await orThrow(iam.access.require(question, context))
  for await (const row of items(iam.projects.list, {}, context)) host.log(row)
  if ((await iam.access.check(question, context)).isOk()) return 3
  const added = await iam.projects.add(question, context)
  if (added.isErr()) return added.error
  const user = iam.access.of(question)
  await user.require('a')
  if (await user.can('b')) return 4
  return iam.projects.add(question, context)
}
`
const wrong = CODE.split('\n').flatMap((line, index) => (/\/\/ \w+$/.test(line) ? [index + 1] : []))

const lint = async (folder: string, program: string, parameters: readonly string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...parameters], {
    cwd: folder,
  }).catch((failed) => failed)
  return String(stdout)
}

it('finds results that nobody handles, tests for truth or iterates over with Biome', async () => {
  const folder = ownFolder()
  await copyFile(join(rules, 'results.grit'), join(folder, 'results.grit'))
  await writeFile(join(folder, 'biome.json'), '{ "plugins": ["./results.grit"] }')
  await writeFile(join(folder, 'guard.js'), CODE)
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const printed = await lint(folder, biome, ['lint', '--reporter=github', 'guard.js'])
  const lines = [...printed.matchAll(/title=plugin,.*?\bline=(\d+)/g)].map(([, line]) =>
    Number(line),
  )
  expect([...new Set(lines)].toSorted((a, b) => a - b)).toEqual(wrong)
})

const eslint = join(root, 'node_modules/eslint')

it('finds the same with ESLint', async () => {
  const folder = ownFolder()
  const config = `import results from './eslint.json' with { type: 'json' }
export default [{ rules: { 'no-restricted-syntax': results } }]`
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await copyFile(join(rules, 'eslint.json'), join(folder, 'eslint.json'))
  await writeFile(join(folder, 'eslint.config.mjs'), config)
  await writeFile(join(folder, 'guard.js'), CODE)
  const program = join(eslint, 'bin/eslint.js')
  const [found] = JSON.parse(await lint(folder, program, ['--format=json', 'guard.js']))
  expect(found.messages.map(({ line }: { readonly line: number }) => line)).toEqual(wrong)
})

it('has the rules where the guide says', async () => {
  const guide = await readFile(join(root, 'docs/guides/recipes.md'), 'utf8')
  const paths = [...guide.matchAll(/node_modules\/claviger\/(docs\/examples\/lint\/[\w.]+)/g)]
  expect(paths.map(([, path = '']) => existsSync(join(root, path)))).toEqual([true, true])
})
