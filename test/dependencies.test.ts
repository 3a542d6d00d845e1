import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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

/** The packages that are installed for the development of a folder. */
const developedWith = (folder: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).devDependencies)

it('installs no package that only the benchmark imports', () => {
  const installed = new Set(['.', 'test', join('docs', 'examples')].flatMap(developedWith))
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
