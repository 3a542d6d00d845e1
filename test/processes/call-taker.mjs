// Makes the calls that its parent asks for, on one SQLite file: node call-taker.mjs FILE
// Tells of each whether it was made and changed something, or why not.
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const { close, ...opened } = openSqlite(process.argv[2] ?? '')
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: permissionsFromCaller })
const permissions = ['project.write', 'project.role.write']
const context = { caller: { userId: 'u2', orgId: 'acme', permissions } }

process.on('message', async ([group, method, input]) => {
  const outcome = await iam[group][method](input, context)
  process.send?.(
    outcome.match(
      ({ changed }) => ({ changed }),
      ({ kind }) => ({ kind }),
    ),
  )
})
process.once('disconnect', close)
process.send?.('ready')
