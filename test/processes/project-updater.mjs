// Updates one project of one SQLite file again and again: node project-updater.mjs FILE PROJECT TASKS UPDATES
// Begins when its parent says so, and sends it the kinds of the errors there were.
import { once } from 'node:events'
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const [file, id, tasks, updates] = process.argv.slice(2)

const { close, ...opened } = openSqlite(file)
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
const context = {
  caller: { userId: String(process.pid), orgId: 'acme', permissions: ['project.write'] },
}

const errors = []
const updateOften = async (task) => {
  for (let n = 0; n < Number(updates); n++) {
    const name = `${process.pid}-${task}-${n}`
    const updated = await iam.projects.patch({ id, name }, context)
    if (updated.isErr()) errors.push(updated.error.kind)
  }
}

process.send?.('ready')
await once(process, 'message')
await Promise.all(Array.from({ length: Number(tasks) }, (_, task) => updateOften(task)))
await close()
process.send?.({ errors })
process.disconnect?.()
