import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Operation, Protocol, Server } from '../http/calls.ts'
import type { Load } from '../http/client.ts'
import { addComparison, atLeast, type Report, ratioOf } from '../report.ts'
import { type Runner, type Scale, takeTurns } from '../rounds.ts'
import { answersOf } from '../worlds.ts'

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

/** Until the code of a server is compiled: so many calls, or so many seconds of slower ones. */
const WARM_UP_CALLS = 25_000
const WARM_UP_SECONDS = 4

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
  const seconds = Math.max(0.1, scale.milliseconds / 200)
  const client = fork(new URL('../http/client.ts', import.meta.url))
  const answer = answersOf(client, 'the client')
  const callsIn = async (load: Load): Promise<number> => {
    client.send(load)
    const [calls] = await answer()
    return Number(calls)
  }
  for (const [protocol, operation, peers] of WORKLOADS) {
    const servers = await Promise.all(
      (['claviger', ...peers.map(([peer]) => peer)] as const).map(openServer),
    )
    for (const { port } of servers) {
      let calls = 0
      for (
        let from = 0;
        scale.warmUp > 0 && from < WARM_UP_SECONDS && calls < WARM_UP_CALLS;
        from++
      )
        calls += await callsIn({ protocol, operation, port, seconds: 1 })
    }
    const runners = servers.map(
      ({ name, port, cpu }): Runner => ({
        name,
        run: async () => {
          const before = await cpu()
          const calls = await callsIn({ protocol, operation, port, seconds })
          return { cpu: ((await cpu()) - before) * (1e3 / calls), wall: (seconds * 1e9) / calls }
        },
      }),
    )
    const job = SHOWN[`${protocol} ${operation}`]
    addComparison(report, {
      table: 'network',
      job,
      by: 'cpu',
      measured: await takeTurns(runners, scale),
    })
    await Promise.all(servers.map(({ child }) => ended(child)))
    for (const [peer, aim] of peers) {
      if (aim !== undefined)
        atLeast(report, `${peer} / claviger, ${job}`, aim, ratioOf(report, job, peer))
    }
  }
  await ended(client)
}

/** A server in a process of its own, which knows how many microseconds of the processor it took. */
const openServer = async (name: Server) => {
  const child = fork(new URL('../http/server.ts', import.meta.url), [name])
  const answer = answersOf(child, name)
  const [port] = await answer()
  const cpu = async (): Promise<number> => {
    child.send('cpu')
    const [microseconds] = await answer()
    return Number(microseconds)
  }
  return { name, child, port: Number(port), cpu }
}

const ended = async (child: ChildProcess): Promise<void> => {
  child.disconnect()
  await once(child, 'exit')
}
