import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'

/** One host for all requests of the isolate, with a store that takes its time. */
let renaming: ((name: string) => Promise<string>) | undefined

const open = async () => {
  const inner = memoryEventStore()
  const slow = (append: Parameters<typeof inner.append>[0]) =>
    new Promise((resolve) => setTimeout(resolve, 30)).then(() => inner.append(append))
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
  const store = { ...inner, append: slow }
  const iam = createIam({ store, secrets, authorize: () => true })
  const context = { caller: { userId: 'u1', orgId: 'acme' } }
  await iam.projects.add({ id: 'portal', name: 'Portal' }, context)
  return async (name: string) => {
    const renamed = await iam.projects.patch({ id: 'portal', name }, context)
    return renamed.isOk() ? name : renamed.error.kind
  }
}

export default {
  async fetch(request: Request): Promise<Response> {
    renaming ??= await open()
    return new Response(await renaming(new URL(request.url).pathname.slice(1)))
  },
}
