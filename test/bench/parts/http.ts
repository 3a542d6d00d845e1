import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Operation, Protocol, Server } from '../http/calls.ts'
import type { Load } from '../http/client.ts'
import { addComparison, atLeast, type Report, ratioOf } from '../report.ts'
import { type Runner, type Scale, takeTurns } from '../rounds.ts'
import { answersOf } from '../worlds.ts'

/** Long enough that the code of a server is compiled. */
const WARM_UP_SECONDS = 4

/** Each route beside servers that do the same; those with an aim are to take at least so many times as long. */
const WORKLOADS: readonly (readonly [
  Protocol,
  Operation,
  readonly (readonly [Server, aim?: number])[],
])[] = [
  ['rest', 'get', [['Fastify by hand on claviger', 0.85], ['bare Fastify']]],
  ['rest', 'post', [['Fastify by hand on claviger', 0.85], ['bare Fastify']]],
  ['connect', 'get', [['bare ConnectRPC', 2]]],
  ['connect', 'post', [['bare ConnectRPC', 2]]],
  ['grpc-web', 'get', [['bare ConnectRPC', 2]]],
  ['grpc-web', 'post', [['bare ConnectRPC', 2]]],
]

const SHOWN = {
  'rest get': 'show a project, REST',
  'rest post': 'add a role, REST',
  'connect get': 'show a project, JSON of an RPC',
  'connect post': 'add a role, JSON of an RPC',
  'grpc-web get': 'show a project, gRPC-web',
  'grpc-web post': 'add a role, gRPC-web',
} as const

/** Calls over the network: what the processor of the server takes for one. */
export const http = async (report: Report, scale: Scale): Promise<void> => {
  const seconds = Math.max(1, scale.milliseconds / 200)
  for (const [protocol, operation, peers] of WORKLOADS) {
    const servers = [
      await openServer('claviger', { protocol, operation, seconds }),
      ...(await Promise.all(
        peers.map(([peer]) => openServer(peer, { protocol, operation, seconds })),
      )),
    ]
    const job = SHOWN[`${protocol} ${operation}`]
    const measured = await takeTurns(servers, { rounds: scale.rounds, warmUps: 0 })
    for (const { close } of servers) await close()
    addComparison(report, { table: 'network', job, by: 'cpu', measured })
    for (const [peer, aim] of peers) {
      if (aim !== undefined)
        atLeast(report, `${peer} / claviger, ${job}`, aim, ratioOf(report, job, peer))
    }
  }
}

/** A server that is called by a client, each in a process of its own. */
const openServer = async (
  server: Server,
  load: Omit<Load, 'port'>,
): Promise<Runner & { readonly close: () => Promise<void> }> => {
  const served = fork(new URL('../http/server.ts', import.meta.url), [server])
  const client = fork(new URL('../http/client.ts', import.meta.url))
  const fromServer = answersOf(served, server)
  const fromClient = answersOf(client, `the client of ${server}`)
  const [port] = await fromServer()
  const callsIn = async (seconds: number): Promise<number> => {
    client.send({ ...load, port, seconds })
    const [calls] = await fromClient()
    return Number(calls)
  }
  const cpu = async (): Promise<number> => {
    served.send('cpu')
    const [microseconds] = await fromServer()
    return Number(microseconds)
  }
  await callsIn(WARM_UP_SECONDS)
  return {
    name: server,
    run: async () => {
      const before = await cpu()
      const calls = await callsIn(load.seconds)
      return { cpu: ((await cpu()) - before) * (1e3 / calls), wall: (load.seconds * 1e9) / calls }
    },
    close: async () => {
      for (const child of [client, served]) {
        child.disconnect()
        await once(child, 'exit')
      }
    },
  }
}
