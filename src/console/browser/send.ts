import { useState } from 'preact/hooks'
import type { WireMethod } from '../../transport/wire.js'
import { call, type Failure, type Json, pathOf } from './api.js'

/** Sends calls one after the other, each at once: for steps that say before what they do. */
export const useSend = () => {
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isBusy, setBusy] = useState(false)

  const sendTo = async <Body>(method: string, path: string, sent?: Json) => {
    setBusy(true)
    setFailure(undefined)
    const outcome = await call<Body>({ method, path, body: sent })
    setBusy(false)
    if ('body' in outcome) return outcome.body
    setFailure(outcome.failure)
    return undefined
  }
  return {
    failure,
    isBusy,
    /** The answer of an operation; undefined when it failed. */
    send: <Body = Json>({ verb = '', ...operation }: WireMethod, ids: Json, body?: Json) =>
      sendTo<Body>(verb, pathOf(operation, ids), body),
    post: (path: string, body: Json) => sendTo('POST', path, body),
  }
}
