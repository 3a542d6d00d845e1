import { useState } from 'preact/hooks'
import type { WireMethod } from '../../transport/wire.js'
import { call, type Failure, type Json, pathOf } from './api.js'

/** Sends calls one after the other, each at once: for steps that say before what they do. */
export const useSend = () => {
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isBusy, setBusy] = useState(false)

  const sendTo = async (method: string, path: string, body?: Json): Promise<Json | undefined> => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await call({ method, path, body })
    setBusy(false)
    if ('body' in outcome) return outcome.body
    setFailure(outcome.failure)
    return undefined
  }
  return {
    failure,
    isBusy,
    /** The answer of an operation; undefined when it failed. */
    send: ({ verb = '', ...operation }: WireMethod, ids: Json, body?: Json) =>
      sendTo(verb, pathOf(operation, ids), body),
    post: (path: string, body: Json) => sendTo('POST', path, body),
  }
}
