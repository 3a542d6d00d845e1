import type { Miniflare } from 'miniflare'
import { bundle, startWorkerd } from './workerd.js'

/** Runs laws and scenarios in Durable Objects, by their names. */
export interface Runner {
  /** What it answered; positions are text that ends with an n. Rejects with what it threw. */
  readonly run: (name: string) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Starts workerd with all laws and scenarios. */
export const startRunner = async (): Promise<Runner> => {
  const script = await bundle('test/adapters/cloudflare/worker/runner.ts')
  const durableObjects = { OBJECTS: { className: 'Runner', useSQLite: true } }
  const workerd: Miniflare = startWorkerd(script, { durableObjects })
  return {
    run: async (name) => {
      const sent = { method: 'POST', body: name }
      const response = await workerd.dispatchFetch('http://localhost/', sent)
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      const { answer }: { readonly answer?: unknown } = JSON.parse(text)
      return answer
    },
    stop: () => workerd.dispose(),
  }
}
