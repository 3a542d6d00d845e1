// Makes what is generated from the .proto files and not kept: `claviger/client` in reports/client, and the OpenAPI
// document in src/transport/gen.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const client = join(root, 'reports/client')
const bin = join(root, 'node_modules/.bin')

rmSync(client, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/@bufbuild/buf/bin/buf'),
    ...['generate', 'src/transport/proto', '--template', '.ci/buf.gen.yaml'],
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
  },
)

/** The services with their messages, health, and the details of errors. */
const files = [
  ...globSync('claviger/v1/*_pb.js', { cwd: client }),
  'google/rpc/error_details_pb.js',
  'grpc/health/v1/health_pb.js',
].sort()
const index = files.map((file) => `export * from './${file}'\n`).join('')
for (const name of ['index.js', 'index.d.ts']) writeFileSync(join(client, name), index)

// Where each field comes from is in the .proto files, and a hundredth of the package. Types name their message.
for (const name of globSync('**/*.d.ts', { cwd: client })) {
  const file = join(client, name)
  const types = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    types
      .replace(/\n *\*(\n *\* @generated .*)+(?=\n *\*\/)/g, '')
      .replace(/\n \* Describes the message .*/g, ''),
  )
}
