import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const examples = join(root, 'docs/examples')

interface Manifest {
  readonly version?: string
  readonly private?: boolean
  readonly type?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const own = manifestIn(root)

/** The versions that the tests run with. */
const versions: Readonly<Record<string, string | undefined>> = {
  ...own.dependencies,
  ...own.devDependencies,
  ...manifestIn(examples).devDependencies,
  claviger: own.version,
}

/** Optional peers that a subpath of the library needs. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  'claviger/oidc': ['openid-client'],
  'claviger/better-auth': ['better-auth', 'openid-client'],
  'claviger/client': ['@bufbuild/protobuf'],
}

/** Folders with programs; a rule for a linter has none. */
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => readdirSync(join(examples, name)).some((file) => file.endsWith('.ts')))

/** What the programs of a folder import, types too. */
const importsOf = (folder: string): readonly { readonly file: string; readonly name: string }[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g),
      ].map(([, name = '']) => ({ file, name })),
    )

describe.each(folders)('the folder docs/examples/%s', (name) => {
  const folder = join(examples, name)
  const imports = importsOf(folder)
  const { dependencies = {}, devDependencies = {}, scripts, ...manifest } = manifestIn(folder)

  it('depends on what it imports, and on nothing else', () => {
    const packages = imports
      .map((each) => each.name)
      .filter((each) => !/^(\.|node:)/.test(each))
      .flatMap((each) => [/^(@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? '', ...(PEERS[each] ?? [])])
    expect(Object.keys(dependencies)).toEqual([...new Set(packages)].toSorted())
  })

  it('has the versions that the tests run with', () => {
    const expected = Object.keys(dependencies).map((each): [string, string] => [
      each,
      `^${versions[each]?.replace('^', '')}`,
    ])
    expect(dependencies).toEqual(Object.fromEntries(expected))
  })

  it('imports nothing from outside', () => {
    const outside = imports.filter(
      ({ file, name }) =>
        name.startsWith('.') &&
        relative(folder, join(folder, dirname(file), name)).startsWith('..'),
    )
    expect(outside).toEqual([])
  })

  it('is private, has ES modules, and starts what is there', () => {
    expect(manifest).toMatchObject({ private: true, type: 'module' })
    const [program = '', file] = scripts?.['start']?.split(' ') ?? []
    if (program === 'node') expect(readdirSync(folder)).toContain(file)
    else if (program !== '') expect(devDependencies).toHaveProperty(program)
  })
})
