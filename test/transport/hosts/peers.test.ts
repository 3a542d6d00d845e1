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

describe('JSON as it is built', () => {
  const serve = `
    const { createIam, memoryEventStore, aesGcmCipher, permissionsFromCaller } = await import('claviger')
    const { fetchHandler } = await import('claviger/json')
    const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
    const iam = createIam({ store: memoryEventStore(), secrets, authorize: permissionsFromCaller })
    const handler = fetchHandler(iam, { authenticate: () => undefined })
    const rpc = '/claviger.v1.ProjectService/GetProject'
    const post = (path, type, headers = {}) =>
      handler(new Request('http://localhost' + path, {
        method: 'POST', body: '{}', headers: { 'content-type': type, ...headers },
      }))
    const get = (path) => handler(new Request('http://localhost' + path))
    const connect = await post(rpc, 'application/json', { 'connect-protocol-version': '1' })
    const grpc = await post(rpc, 'application/grpc-web+proto')
    console.log(JSON.stringify([
      (await (await get('/openapi.json')).json()).info.title,
      (await get('/v1/health')).status,
      (await get('/v1/projects')).status,
      (await connect.json()).code,
      [grpc.status, grpc.headers.get('accept')],
      (await post('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'application/grpc')).status,
    ]))`

  it('serves without any other package, and no gRPC', () => {
    const { stdout, stderr } = hostWith(own)('module', serve)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      'claviger',
      200,
      401,
      'unauthenticated',
      [415, 'application/json'],
      404,
    ])
  })
})

describe('The transport as it is built', () => {
  it.each([
    ['module', 'await import("claviger/transport")'],
    ['commonjs', load],
  ] as const)('lets Node.js name the package that is missing, loaded as %s', (type, code) => {
    const { stderr } = hostWith(own)(type, code)
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
