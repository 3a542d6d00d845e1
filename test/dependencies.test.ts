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

it('installs no package that only the benchmark imports', () => {
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const bench = join('test', 'bench')
  // The peers are a package of their own, which the benchmark installs.
  const measured = filesIn(bench).filter((file) => !file.startsWith(join(bench, 'peers')))
  const others = ['src', 'docs', 'test', '.ci']
    .flatMap(filesIn)
    .filter((file) => !file.startsWith(bench))
  const elsewhere = new Set(others.flatMap(packagesIn))
  const onlyHere = measured
    .flatMap(packagesIn)
    .filter((name) => name in devDependencies && !elsewhere.has(name))
  expect(onlyHere).toEqual([])
})
