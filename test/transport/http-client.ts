import { createServer } from 'node:http'
import type { EventStore } from 'claviger'
import { type NodeHandler, nodeHandler } from 'claviger/transport'
import { onTestFinished } from 'vitest'
import { openIam, transportOptions } from './host.js'
import { closed, listening } from './servers.js'

/** A host over HTTP/1.1 that ends with the test, and what calls it as the admin. */
export const openHost = async (wrap?: (store: EventStore) => EventStore) => {
  const iam = await openIam(wrap)
  const { options, failures } = transportOptions()
  const handler: NodeHandler = nodeHandler(iam, options)
  const server = createServer(handler)
  const origin = await listening(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await closed(server)
  })

  /** The answer to a request with a body that is JSON, or says that it is. */
  const call = async (
    verb: string,
    path: string,
    body?: BodyInit,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${origin}${path}`, {
      method: verb,
      headers: {
        authorization: 'Bearer admin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body, duplex: 'half' }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }
  return { iam, options, failures, server, origin, call, handler }
}

const parsed = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields that an error body says are wrong. */
export const violationsIn = (body: {
  details: { '@type': string; fieldViolations?: { field: string; description: string }[] }[]
}): Record<string, string> =>
  Object.fromEntries(
    body.details
      .flatMap(({ fieldViolations = [] }) => fieldViolations)
      .map(({ field, description }) => [field, description]),
  )
