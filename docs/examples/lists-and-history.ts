// Lists, history and reasons. Run it with `node docs/examples/lists-and-history.ts`.
import assert from 'node:assert/strict'
import { aesGcmCipher, createIam, items, memoryEventStore, orThrow } from 'claviger'

const secrets = aesGcmCipher({
  current: 'k1',
  keys: { k1: crypto.getRandomValues(new Uint8Array(32)) },
})
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const context = { caller: { userId: 'u1', orgId: 'acme' } }
const added = await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
await orThrow(iam.projects.add({ id: 'shop', name: 'Shop' }, context))

// History shows a reason with every change that the write made.
const reason = 'Ticket 4711: opens in October'
await orThrow(iam.projects.patch({ id: 'portal', name: 'Portal 2' }, { ...context, reason }))

// A page of a list. For the next one, pass its `nextPageToken` as `pageToken`.
const page = await orThrow(
  iam.projects.list(
    {
      filter: { name: { contains: 'p', ignoreCase: true }, state: 'active' }, // all must match
      sort: [{ field: 'name', direction: 'desc' }],
      pageSize: 50,
    },
    context,
  ),
)
assert.deepEqual(
  page.items.map(({ name }) => name),
  ['Shop', 'Portal 2'],
)

// What happened to one object, oldest first.
const object = { type: 'project', id: 'portal' } as const
const history = await orThrow(iam.history.list({ object }, context))
const change = history.items.at(-1)
assert.deepEqual(change?.changes, [{ field: 'name', from: 'Portal', to: 'Portal 2' }])
assert.equal(change?.actor.userId, 'u1')
assert.equal(change?.reason, reason)

// The object as it was.
const { sequence } = added.details // or `time`, a Date
const then = await orThrow(iam.history.stateAt({ object, sequence }, context))
assert('name' in then && then.name === 'Portal')

// All pages of a list or of history: here what happened in the last hour, newest first.
const time = { from: new Date(Date.now() - 3_600_000) }
for await (const { type, actor } of items(iam.history.list, { order: 'desc', time }, context))
  console.log(type, actor.userId)

// A removed object keeps its history, and a role ends with its project.
const role = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const
const editor = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
await orThrow(iam.projectRoles.add(editor, context))
await orThrow(iam.projects.remove({ id: 'portal' }, context))
const ofRole = await orThrow(iam.history.list({ object: role }, context))
assert.equal(ofRole.items.at(-1)?.type, 'project.removed')
const both = await orThrow(iam.history.list({ object, including: 'roles' }, context))
assert.deepEqual(
  both.items.map(({ type }) => type),
  ['project.added', 'project.updated', 'project_role.added', 'project.removed'],
)
