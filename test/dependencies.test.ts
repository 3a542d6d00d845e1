import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs|md)$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file))

/** The packages that `file` imports, by name. */
const packagesIn = (file: string): readonly string[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\bfrom '((@[^/']+\/)?[^./'][^/']*)/g),
  ].flatMap(([, name]) => name ?? [])

const jsonIn = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

/** The folders whose packages one `npm ci` installs. */
const folders: readonly string[] = ['.', ...jsonIn('package.json').workspaces]

/** The packages that are installed for the development of a folder. */
const developedWith = (folder: string): readonly string[] =>
  Object.keys(jsonIn(join(folder, 'package.json')).devDependencies)

/** What `config:recommended` of Renovate ignores, by `:ignoreModulesAndTests`, unless a repository says what to ignore. */
const IGNORED_BY_DEFAULT = [
  ...['**/node_modules/**', '**/bower_components/**', '**/vendor/**', '**/examples/**'],
  ...['**/__tests__/**', '**/test/**', '**/tests/**', '**/__fixtures__/**'],
]

it.each(folders)('has the packages of the folder %s updated', (folder) => {
  const { ignorePaths = IGNORED_BY_DEFAULT }: { ignorePaths?: readonly string[] } =
    jsonIn('.github/renovate.json')
  const manifest = posix.join(folder, 'package.json')
  expect(ignorePaths.filter((glob) => posix.matchesGlob(manifest, glob))).toEqual([])
})

it('installs no package that only the benchmark imports', () => {
  const installed = new Set(folders.flatMap(developedWith))
  const bench = join('test', 'bench')
  // The peers are a package of their own, which the benchmark installs.
  const measured = filesIn(bench).filter((file) => !file.startsWith(join(bench, 'peers')))
  const others = ['src', 'docs', 'test', '.ci']
    .flatMap(filesIn)
    .filter((file) => !file.startsWith(bench))
  const elsewhere = new Set(others.flatMap(packagesIn))
  const onlyHere = measured
    .flatMap(packagesIn)
    .filter((name) => installed.has(name) && !elsewhere.has(name))
  expect(onlyHere).toEqual([])
})
