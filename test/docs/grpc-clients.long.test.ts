import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeHandler } from 'claviger/transport'
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

it.runIf(hasGrpcio())(
  'The client in Python lists projects, and is told why it may not',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-python-'))
    const server = createServer(nodeHandler(await openIam(), transportOptions().options))
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
      server.close()
    })
    const origin = await listening(server)
    const buf = join(root, 'node_modules/.bin/buf')
    await execute(buf, ['build', 'src/transport/proto', '-o', join(folder, 'claviger.binpb')], {
      cwd: root,
    })
    const guide = readFileSync(join(root, 'docs/guides/grpc-clients.md'), 'utf8')
    const [, program = ''] = /^```python\n(.*?)^```$/ms.exec(guide) ?? []
    const here = program
      .replace('localhost:8081', origin.slice('http://'.length))
      .replace("list_projects(channel, 'token')", "list_projects(channel, 'admin')")
    writeFileSync(join(folder, 'program.py'), here)
    const { stdout } = await execute(PYTHON, ['program.py'], { cwd: folder })
    expect(stdout).toBe(
      "['Portal']\nStatusCode.UNAUTHENTICATED The call has no authenticated caller\n",
    )
  },
)
