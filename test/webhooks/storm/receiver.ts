// A process that receives: it verifies with the published packages, and is ill as often as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'
import { ENDPOINTS } from './endpoints.ts'

/** What a receiver is told. */
export type ReceiverOrder =
  | { readonly secret: string }
  /** Answers well from now on. */
  | { readonly heal: true }
  | { readonly report: true }

/** What a receiver has received. */
export interface ReceiverReport {
  /** For each live endpoint and organization, the ids in the order of their first receipt. */
  readonly firsts: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** Messages of live endpoints, repeated ones included. */
  readonly requests: number
  /** Messages that came again after they were taken. */
  readonly doubled: number
  /** What was wrong: signatures, bodies, the order. */
  readonly problems: readonly string[]
}

interface Lane {
  readonly ids: string[]
  readonly known: Set<string>
  readonly taken: Set<string>
}

const lanes = new Map<string, Map<string, Lane>>()
const problems: string[] = []
let webhook: Webhook | undefined
let isHealed = false
let requests = 0
let doubled = 0

const laneOf = (endpoint: string, orgId: string): Lane => {
  const byOrg = lanes.get(endpoint) ?? new Map<string, Lane>()
  lanes.set(endpoint, byOrg)
  const lane = byOrg.get(orgId) ?? { ids: [], known: new Set(), taken: new Set() }
  byOrg.set(orgId, lane)
  return lane
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** @returns the lane of the message, with its id */
const receive = (endpoint: string, headers: IncomingMessage['headers'], body: string) => {
  webhook?.verify(body, headers as Record<string, string>)
  const event = HTTP.toEvent<{ sequence: string }>({ headers, body })
  if (Array.isArray(event)) throw new Error('several events')
  const id = event.data?.sequence ?? ''
  if (event.id !== headers['webhook-id'] || !event.id.endsWith(`-${id}`))
    throw new Error('another id')
  const lane = laneOf(endpoint, String(event['orgid']))
  const last = lane.ids.at(-1)
  if (last === undefined || BigInt(id) > BigInt(last)) {
    if (last !== undefined && !lane.taken.has(last)) throw new Error(`${id} before ${last}`)
    lane.ids.push(id)
    lane.known.add(id)
  } else if (!lane.known.has(id)) throw new Error(`${id} after ${last}`)
  requests++
  if (lane.taken.has(id)) doubled++
  return { lane, id }
}

/** How a live endpoint answers. */
const answer = (response: ServerResponse, take: () => void): void => {
  const chance = isHealed ? 1 : Math.random()
  if (chance < 0.005) return
  if (chance < 0.02) response.destroy()
  else if (chance < 0.03) {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half of ')
    take()
    setTimeout(() => response.destroy(), 1)
  } else if (chance < 0.05) response.writeHead(500).end()
  else if (chance < 0.055) setTimeout(() => response.writeHead(200).end(take()), 1_500)
  else {
    take()
    response.writeHead(204).end()
  }
}

const DEATHS = new Map(ENDPOINTS.map(({ id, death }) => [id, death]))

const server = createServer(async (request, response) => {
  const endpoint = String(request.url).slice(1)
  try {
    const body = await bodyOf(request)
    switch (DEATHS.get(endpoint)) {
      case '500':
        response.writeHead(500).end()
        return
      case 'hangs':
        return
      case 'closes':
        response.destroy()
        return
    }
    const { lane, id } = receive(endpoint, request.headers, body)
    answer(response, () => {
      lane.taken.add(id)
    })
  } catch (error) {
    // A sender that was killed while it sent.
    if (request.destroyed && !request.complete) return
    problems.push(`${endpoint}: ${error}`)
    response.writeHead(400).end()
  }
})

process.on('message', (order: ReceiverOrder) => {
  if ('secret' in order) webhook = new Webhook(order.secret)
  else if ('heal' in order) isHealed = true
  else {
    const firsts = Object.fromEntries(
      [...lanes].map(([endpoint, byOrg]) => [
        endpoint,
        Object.fromEntries([...byOrg].map(([orgId, { ids }]) => [orgId, ids])),
      ]),
    )
    process.send?.({ firsts, requests, doubled, problems } satisfies ReceiverReport)
  }
})
process.once('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
