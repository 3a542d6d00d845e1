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

describe('The transport as it is built', () => {
  const serve = (subpath: string) => `
    const { createIam, memoryEventStore, aesGcmCipher, permissionsFromCaller } = await import('claviger')
    const { fetchHandler } = await import('${subpath}')
    const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
    const iam = createIam({ store: memoryEventStore(), secrets, authorize: permissionsFromCaller })
    const handler = fetchHandler(iam, { authenticate: () => undefined })
    const rpc = '/claviger.v1.ProjectService/GetProject'
    const post = (type, body) =>
      handler(new Request('http://localhost' + rpc, {
        method: 'POST', body, headers: { 'content-type': type },
      }))
    const get = (path) => handler(new Request('http://localhost' + path))
    const grpc = await post('application/grpc-web+proto', new Uint8Array(5))
    console.log(JSON.stringify([
      (await (await get('/openapi.json')).json()).info.title,
      (await get('/v1/health')).status,
      (await get('/v1/projects')).status,
      (await (await post('application/json', '{}')).json()).code,
      /grpc-status: \\d+/.exec(await grpc.text())[0],
    ]))`

  it.each(['claviger/transport', 'claviger/json'])(
    'serves without any other package, as %s',
    (subpath) => {
      const { stdout, stderr } = hostWith(own)('module', serve(subpath))
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(['claviger', 200, 401, 16, 'grpc-status: 16'])
    },
  )

  it('is loaded by modules of CommonJS', () => {
    const code =
      'const { fetchHandler } = require("claviger/transport"); console.log(typeof fetchHandler)'
    expect(hostWith(own)('commonjs', code)).toEqual({ stdout: 'function\n', stderr: '' })
  })
})

describe('The descriptors for clients as they are built', () => {
  const load =
    'const { ProjectService } = await import("claviger/client"); console.log(ProjectService.typeName)'

  it('need one package, and name it where it is missing', () => {
    expect(hostWith(['@bufbuild/protobuf'])('module', load)).toEqual({
      stdout: 'claviger.v1.ProjectService\n',
      stderr: '',
    })
    expect(hostWith([])('module', load).stderr).toMatch(/Cannot find package '@bufbuild\/protobuf'/)
  })
})
