import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A host that has the package as it is built, and of its other packages those that it names. */
const hostWith = (packages: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-peers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'claviger'), { recursive: true })
  for (const file of ['package.json', 'dist'])
    cpSync(join(root, file), join(modules, 'claviger', file), { recursive: true })
  for (const name of packages) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  return (type: 'module' | 'commonjs', code: string) => {
    const args = [`--input-type=${type}`, '-e', code]
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return { stdout, stderr }
  }
}

const own = ['@noble/hashes', 'neverthrow', 'ulid', 'zod']
const load =
  'const { fetchHandler } = require("claviger/transport"); console.log(typeof fetchHandler)'

describe('The transport as it is built', () => {
  it.each([[own], [[...own, '@connectrpc/connect']], [[...own, '@bufbuild/protobuf']]])(
    'says in CommonJS with no packages but %j what to install',
    (packages) => {
      const { stderr } = hostWith(packages)('commonjs', load)
      expect(stderr).toContain(
        'Error: claviger/transport needs two packages more: npm install @connectrpc/connect @bufbuild/protobuf',
      )
    },
  )

  it('is told by Node.js in ESM by the name of what is missing', () => {
    const { stderr } = hostWith(own)('module', 'await import("claviger/transport")')
    expect(stderr).toMatch(/Cannot find package '@(connectrpc\/connect|bufbuild\/protobuf)'/)
  })

  it('loads with them', () => {
    const run = hostWith([...own, '@connectrpc/connect', '@bufbuild/protobuf'])
    expect(run('commonjs', load)).toEqual({ stdout: 'function\n', stderr: '' })
    const { stdout } = run(
      'module',
      'import { fetchHandler } from "claviger/transport"; console.log(typeof fetchHandler)',
    )
    expect(stdout).toBe('function\n')
  })
})
