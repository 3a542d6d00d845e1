import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createIam, memoryEventStore, memoryReadModel, orThrow } from 'claviger'
import { expect, it } from 'vitest'
import { logBefore, play, SCENARIOS } from '../../src/laws/read-model/samples.js'
import { messageOf, type WebhookMessage } from '../../src/webhooks/send-message.js'

const reference = fileURLToPath(
  new URL('../../docs/reference/webhook-messages.md', import.meta.url),
)

/** The messages of all scenarios, which have events of every type; the first of each type. */
const messages = async (): Promise<ReadonlyMap<string, WebhookMessage>> => {
  const found = new Map<string, WebhookMessage>()
  for (const scenario of SCENARIOS) {
    const log = logBefore(scenario)
    play(log, scenario)
    const readModel = memoryReadModel()
    await readModel.apply(0n, log.events)
    const store = { ...memoryEventStore(), readAll: async () => [], lastPosition: async () => 0n }
    const secrets = { seal: async () => '', open: async () => '' } as never
    const iam = createIam({ store, readModel, secrets, authorize: () => true })
    const context = { caller: { userId: 'u1', orgId: 'acme' }, consistency: 'eventual' } as const
    const { items } = await orThrow(iam.history.list({ limit: 1_000 }, context))
    for (const entry of items) {
      const message = messageOf(entry, { orgId: 'acme', source: 'claviger', logId: '0' })
      if (!found.has(message.type)) found.set(message.type, message)
    }
  }
  return found
}

/** A row for each type: what it is, and an example. */
const tableOf = (found: ReadonlyMap<string, WebhookMessage>): string => {
  const rows = [...found.values()]
    .toSorted((one, other) => (one.type < other.type ? -1 : 1))
    .map(({ type, subject, data }) => {
      const example = JSON.stringify({ subject, data: { changes: data.changes } })
      return `| \`${type}\` | \`${example.replaceAll('|', '\\|')}\` |`
    })
  return ['| type | `subject`, and `changes` in `data` |', '|---|---|', ...rows].join('\n')
}

// `npx vitest run test/docs/webhooks-guide.test.ts -u` writes what has changed into the page.
it('The reference has a message of every event type, as it is sent', async () => {
  const page = await readFile(reference, 'utf8')
  const [before, rest] = page.split('<!-- messages -->\n')
  const [, after] = rest?.split('<!-- end of messages -->') ?? []
  if (after === undefined) throw new Error('The page has no marks of messages')
  const table = tableOf(await messages())
  await expect(
    `${before}<!-- messages -->\n\n${table}\n\n<!-- end of messages -->${after}`,
  ).toMatchFileSnapshot(reference)
})

it('The table has every type but the internal ones', async () => {
  const golden = await readFile(new URL('../golden/events-v1.json', import.meta.url), 'utf8')
  const { events }: { events: readonly { readonly type: string }[] } = JSON.parse(golden)
  const types = new Set(events.map(({ type }) => type))
  const shown = [...types].filter((type) => !/^(verified_domain|setup_link_token)\./.test(type))
  expect([...(await messages()).keys()].toSorted()).toEqual(shown.toSorted())
})
