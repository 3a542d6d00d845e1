import { once } from 'node:events'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { callers, openIam, transportOptions } from '../host.js'

const path = '/v1/projects/portal'

/** Calls a host whose authenticate waits for the end of the call where `isSlow`. */
const open = async (isSlow: boolean) => {
  const { options, failures } = transportOptions()
  const authenticate = async (_headers: Headers, signal: AbortSignal) => {
    if (isSlow && !signal.aborted) await once(signal, 'abort')
    return callers['admin']
  }
  const handler = fetchHandler(await openIam(), { ...options, authenticate })
  const call = async (timeout: string) => {
    const headers = { 'connect-timeout-ms': timeout }
    const answer = await handler(new Request(`http://localhost${path}`, { headers }))
    return { status: answer.status, json: await answer.json() }
  }
  return { call, failures }
}

describe('A deadline of a call in JSON', () => {
  it.each(['0', '20'])('of %s milliseconds ends the call with 504', async (timeout) => {
    const { call, failures } = await open(true)
    const { status, json } = await call(timeout)
    expect([status, json.code]).toEqual([504, 4])
    expect(json.details).toMatchObject([{ reason: 'DEADLINE_EXCEEDED' }])
    expect(failures).toEqual([])
  })

  it.each(['60000', '2147483647', '2147483648', '9999999999', '99999999999'])(
    'of %s milliseconds does not matter to a call that ends before',
    async (timeout) => {
      const { call } = await open(false)
      expect((await call(timeout)).status).toBe(200)
    },
  )

  it.each(['soon', '-1', '1.5', ''])('that is %j is refused', async (timeout) => {
    const { call } = await open(false)
    const { status, json } = await call(timeout)
    expect([status, json.code]).toEqual([400, 3])
  })
})
