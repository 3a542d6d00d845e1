// Races to add roles to one project of one SQLite file: node role-adder.mjs FILE PROJECT TASKS ROLES
// Begins when its parent says so; each task tries every key. Tells its parent what it won and lost.
import { once } from 'node:events'
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const [file, projectId, tasks, roles] = process.argv.slice(2)

const { close, ...opened } = openSqlite(file)
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
const context = {
  caller: { userId: String(process.pid), orgId: 'acme', permissions: ['project.role.write'] },
}

const won = []
const lost = {}
const tryAll = async (task) => {
  for (let n = 0; n < Number(roles); n++) {
    // Every task begins elsewhere.
    const roleKey = `role-${(n + task * 7) % Number(roles)}`
    const added = await iam.projectRoles.add({ projectId, roleKey, displayName: 'd' }, context)
    added.match(
      () => won.push(roleKey),
      ({ kind }) => {
        lost[kind] = (lost[kind] ?? 0) + 1
      },
    )
  }
}

process.send?.('ready')
await once(process, 'message')
await Promise.all(Array.from({ length: Number(tasks) }, (_, task) => tryAll(task)))
await close()
process.send?.({ won, lost })
process.disconnect?.()
