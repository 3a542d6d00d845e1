// `node test/clients/run.mjs`, after `npm run build`: clients that two generators make of /openapi.json compile, and work
// against a server.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import {
  aesGcmCipher,
  createIam,
  memoryEventStore,
  permissionsFromCaller,
} from '../../dist/index.js'
import { nodeHandler } from '../../dist/transport.js'

const cwd = import.meta.dirname
const generated = join(cwd, 'generated')
const bin = (path, ...parameters) =>
  execFileSync(process.execPath, [join('node_modules', path), ...parameters], {
    cwd,
    stdio: 'inherit',
  })

const permissions = ['identity_provider', 'project', 'project.role'].flatMap((object) => [
  `${object}.read`,
  `${object}.write`,
])
const serve = async (use) => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const caller = { userId: 'u1', orgId: 'acme', permissions: [...permissions, 'event.read'] }
  const server = createServer(nodeHandler(iam, { authenticate: () => caller }))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${server.address().port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

execFileSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd, stdio: 'inherit' })
rmSync(generated, { recursive: true, force: true })
mkdirSync(generated)
const document = await serve(async (url) => (await fetch(`${url}/openapi.json`)).text())
writeFileSync(join(generated, 'openapi.json'), document)
bin(
  'openapi-typescript/bin/cli.js',
  'generated/openapi.json',
  '-o',
  'generated/openapi.ts',
  '--default-non-nullable',
  'false',
)
bin('@hey-api/openapi-ts/bin/run.js', '-i', './generated/openapi.json', '-o', 'generated/hey-api')
bin('typescript/bin/tsc', '--project', '.')

const outfile = join(generated, 'use.mjs')
await build({
  entryPoints: [join(cwd, 'use.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  outfile,
})
for (const [name, use] of Object.entries(await import(outfile))) {
  const { added, patched, ...rest } = await serve(use)
  assert.ok(BigInt(patched) > BigInt(added), name)
  assert.deepEqual(rest, {
    planned: true,
    history: ['project.added', 'project.updated'],
    state: 'New',
    refused: [409, 9],
    plan: 1,
    applied: 1,
    idp: ['string', false],
  })
  console.log(`ok ${name}`)
}
