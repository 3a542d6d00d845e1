import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttp1Server } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type NodeHandler, nodeHandler } from 'claviger/transport'
import { expect, it, onTestFinished } from 'vitest'
import { PYTHON } from '../application/evidence/python.js'
import { openIam, transportOptions } from '../transport/host.js'
import { listening } from '../transport/servers.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** Whether Python has `grpcio`, which .ci/programs installs; where all is tested, it must. */
const hasGrpcio = (): boolean => {
  const has = spawnSync(PYTHON, ['-c', 'import grpc, google.protobuf']).status === 0
  if (!has && process.env['CI']) throw new Error('There is no python3-grpcio')
  if (!has)
    process.stderr.write('\n*** NOT TESTED: gRPC from Python. There is no python3-grpcio. ***\n\n')
  return has
}

const guide = readFileSync(join(root, 'docs/guides/grpc-clients.md'), 'utf8')

/** The blocks of the guide in a language, with the host and the token of the test. */
const blocks = (language: string, origin = ''): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) =>
      code
        .replace('localhost:8081', origin.slice('http://'.length))
        .replace('Bearer token', 'Bearer admin')
        .replace("list_projects(channel, 'token')", "list_projects(channel, 'admin')"),
  )

/** A folder as the reader of the guide has it, with the package installed, and how to run a shell line there. */
const openFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-grpc-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/claviger'))
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` }
  const shell = (line: string) => execute('sh', ['-ec', line], { cwd: folder, env })
  return { folder, shell }
}

const openServer = async (create: (handler: NodeHandler) => Server): Promise<string> => {
  const server = create(nodeHandler(await openIam(), transportOptions().options))
  onTestFinished(() => void server.close())
  return listening(server)
}

it('The shell line of buf curl lists projects, and over HTTP/1.1 in gRPC-web', async () => {
  const { shell } = openFolder()
  const answer = (origin: string, change = (line: string) => line) =>
    shell(change(blocks('sh', origin)[0] ?? '')).then(({ stdout }) => JSON.parse(stdout))
  const listed = { projects: [expect.objectContaining({ name: 'Portal' })] }
  expect(await answer(await openServer(createHttp2Server))).toMatchObject(listed)
  const web = (line: string) =>
    line.replace('--protocol grpc --http2-prior-knowledge', '--protocol grpcweb')
  expect(web(blocks('sh')[0] ?? '')).toContain('--protocol grpcweb')
  expect(await answer(await openServer(createHttp1Server), web)).toMatchObject(listed)
})

it.runIf(hasGrpcio())(
  'The client in Python lists projects, and is told why it may not',
  async () => {
    const { folder, shell } = openFolder()
    const origin = await openServer(createHttp2Server)
    const [, build = ''] = blocks('sh')
    await shell(build)
    const [program = ''] = blocks('python', origin)
    writeFileSync(join(folder, 'program.py'), program)
    const { stdout } = await execute(PYTHON, ['program.py'], { cwd: folder })
    expect(stdout).toBe(
      "['Portal']\nStatusCode.UNAUTHENTICATED The call has no authenticated caller\n",
    )
  },
)
