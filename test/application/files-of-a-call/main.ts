// Prints the files of `src` of which a function runs in one call on SQLite, as JSON: `node --import
// ../../simulation/register.mjs main.ts <name of a call> [--again]`, where `--again` makes the call once before.

import { Session } from 'node:inspector/promises'
import process from 'node:process'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { context, good, type Iam, iamOn } from '../host.js'

const desired = {
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: [{ roleKey: 'reader', displayName: 'Reader' }],
      grants: [{ grantedOrgId: 'globex', roleKeys: ['reader'] }],
    },
  ],
}

const role = { projectId: 'portal', roleKey: 'writer', displayName: 'Writer' }
const reader = { userId: 'user', projectId: 'portal', roleKey: 'reader' }

const calls: Readonly<Record<string, (iam: Iam) => Promise<unknown>>> = {
  'projectRoles.add': (iam) => good(iam.projectRoles.add(role, context)),
  'access.check': (iam) => good(iam.access.check(reader, context)),
  apply: (iam) => good(iam.apply(desired, context)),
}

const [name = '', again] = process.argv.slice(2)
const call = calls[name]
if (!call) throw new Error(`No call ${name}`)
const { close, ...ports } = openSqlite(':memory:')
await good(iamOn(ports.store, ports).apply(desired, context))
const iam = iamOn(ports.store, ports)
if (again) await call(iam)

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await inspector.post('Profiler.takePreciseCoverage')
await call(iam)
const { result } = await inspector.post('Profiler.takePreciseCoverage')
const files = result.flatMap(({ url, functions }) => {
  const [, file] = url.split('/src/')
  // The first range of a file is the file itself.
  const runs = functions.some(({ ranges: [all] }) => all && all.count > 0 && all.startOffset > 0)
  return file !== undefined && runs ? [file] : []
})
process.stdout.write(JSON.stringify(files))
close()
