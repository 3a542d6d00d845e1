// Runs in workerd: objects that record what they are sent. The path names the object.
import { durableObjectStore } from '../../../../src/adapters/cloudflare/index.js'
import { aesGcmCipher, createIam } from '../../../../src/index.js'
import { command } from '../../../processes/commands.js'
import type { ObjectNamespace, ObjectState } from './object-state.js'
import { type Call, fromWire, toWire } from './wire.js'

const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })

const CONTEXT = { caller: { userId: 'u1', orgId: 'acme' } }

const roleOf = (roleKey: string) => ({ projectId: 'shared-0', roleKey, displayName: roleKey })

export class Host {
  readonly #state: ObjectState
  readonly #store
  readonly #iam
  readonly #start = crypto.randomUUID()

  constructor(state: ObjectState) {
    this.#state = state
    const opened = durableObjectStore(state.storage)
    this.#store = opened.store
    this.#iam = createIam({ ...opened, secrets, authorize: () => true })
  }

  async fetch(request: Request): Promise<Response> {
    return new Response(toWire(await this.#answer(fromWire(await request.text()))))
  }

  async #answer(call: Call): Promise<unknown> {
    if ('abort' in call) return this.#state.abort()
    if ('start' in call) return this.#start
    if ('readAll' in call) return this.#store.readAll(...call.readAll)
    if ('append' in call) {
      const verdict = await this.#store.append(call.append)
      return verdict.isOk() ? { ok: verdict.value } : { err: verdict.error }
    }
    const outcome = await ('addRole' in call
      ? this.#iam.projectRoles.add(roleOf(call.addRole), CONTEXT)
      : command(this.#iam, ...call.command))
    return outcome.isOk()
      ? { positions: outcome.value.events.map(({ position }) => String(position)) }
      : { refusal: outcome.error.kind }
  }
}

export default {
  /** Sends each of a list of calls to the object, all at the same time. */
  async fetch(request: Request, { OBJECTS }: { readonly OBJECTS: ObjectNamespace }) {
    const { url } = request
    const object = OBJECTS.get(OBJECTS.idFromName(new URL(url).pathname))
    const calls: readonly Call[] = fromWire(await request.text())
    const answers = calls.map(async (call) => {
      const sent = new Request(url, { method: 'POST', body: toWire(call) })
      return fromWire(await (await object.fetch(sent)).text())
    })
    return new Response(toWire(await Promise.all(answers)))
  },
}
