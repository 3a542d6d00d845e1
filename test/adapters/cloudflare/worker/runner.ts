// Runs in workerd: the law or the scenario that the path names, in an object of its own.
import { LAWS } from './laws.js'
import type { ObjectNamespace, ObjectState } from './object-state.js'
import { SCENARIOS } from './scenarios.js'

const WORK = new Map([...LAWS, ...SCENARIOS].map(({ name, run }) => [name, run]))

/** Positions are told apart from numbers. */
const withPositions = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `${value}n` : value

export class Runner {
  readonly #state: ObjectState

  constructor(state: ObjectState) {
    this.#state = state
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const run = WORK.get(await request.text())
      if (run === undefined) throw new Error('There is no such work')
      return new Response(JSON.stringify({ answer: await run(this.#state) }, withPositions))
    } catch (error) {
      const text = error instanceof Error ? `${error.stack}` : String(error)
      return new Response(text, { status: 500 })
    }
  }
}

export default {
  fetch: async (request: Request, { OBJECTS }: { readonly OBJECTS: ObjectNamespace }) => {
    const name = await request.text()
    const sent = new Request(request.url, { method: 'POST', body: name })
    return OBJECTS.get(OBJECTS.idFromName(name)).fetch(sent)
  },
}
