// Adds roles to one project of one SQLite file: node log-writer.mjs FILE PROJECT ROLES
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const [file, id, roles] = process.argv.slice(2)
const IN_FLIGHT = 16

const { close, ...opened } = openSqlite(file)
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
const context = {
  caller: { userId: id, orgId: 'acme', permissions: ['project.write', 'project.role.write'] },
}

const must = async (result) => {
  const answer = await result
  if (answer.isErr()) throw new Error(JSON.stringify(answer.error, (_, v) => String(v)))
}

await must(iam.projects.add({ id, name: id }, context))
let next = 0
const addSome = async () => {
  while (next < Number(roles)) {
    const roleKey = `role-${next++}`
    await must(iam.projectRoles.add({ projectId: id, roleKey, displayName: roleKey }, context))
  }
}
await Promise.all(Array.from({ length: IN_FLIGHT }, addSome))
await close()
