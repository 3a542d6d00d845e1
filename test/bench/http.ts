import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Operation, Protocol, Server } from './http/calls.ts'
import type { Load } from './http/client.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { type Runner, takeTurns, timesAsFast } from './rounds.ts'
import type { Scale } from './workloads.ts'

/** Seconds of a round, at full length. */
const SECONDS = 10

/** Long enough that the code of a server is compiled. */
const WARM_UP_SECONDS = 8

/**
 * The first server of each is the goal: it should not take much less. REST is held to the same route written by hand on the
 * same `iam`, the others to a bare server that parses and answers the same, and does nothing.
 */
const WORKLOADS: readonly (readonly [Protocol, Operation, readonly Server[], target: number])[] = [
  ['rest', 'post', ['route by hand', 'Fastify and zod', 'Hono and zod'], 0.8],
  ['rest', 'get', ['route by hand', 'Fastify and zod', 'Hono and zod'], 0.8],
  ['connect', 'post', ['ConnectRPC'], 0.9],
  ['connect', 'get', ['ConnectRPC'], 0.9],
  ['grpc', 'post', ['ConnectRPC'], 0.9],
]

/** Workload H: calls over the network, in processor time of the server. */
export const http = async (report: Report, { share }: Scale): Promise<void> => {
  const seconds = Math.max(1, SECONDS * share)
  for (const [protocol, operation, peers, target] of WORKLOADS) {
    const servers: readonly Server[] = ['claviger', ...peers]
    const load = { protocol, operation, port: 0, seconds }
    const runners: Runner[] = []
    for (const server of servers) runners.push(await runner(server, load))
    const measured = await takeTurns(runners, { rounds: 3, warmUps: 0 })
    const name = `H http, ${protocol} ${operation}`
    addRows(report, name, measured)
    const [own, goal] = measured
    if (own && goal)
      addRatio(report, `${name} / ${goal.name}`, { measured: timesAsFast(own, goal), target })
  }
}

/** A server that is called by a client, each in a process of its own. */
const runner = async (server: Server, load: Load): Promise<Runner> => {
  const { protocol } = load
  const served = fork(new URL('./http/server.ts', import.meta.url), [server, protocol])
  const client = fork(new URL('./http/client.ts', import.meta.url))
  const [port] = await once(served, 'message')
  const callsIn = async (seconds: number): Promise<number> => {
    client.send({ ...load, port, seconds })
    const [calls] = await once(client, 'message')
    return Number(calls)
  }
  /** Microseconds since it was last asked. */
  const processorTime = async (): Promise<number> => {
    served.send('processor time')
    const [microseconds] = await once(served, 'message')
    return Number(microseconds)
  }
  await callsIn(WARM_UP_SECONDS)
  return {
    name: server === 'claviger' || server === 'route by hand' ? server : `bare ${server}`,
    run: async () => {
      await processorTime()
      const calls = await callsIn(load.seconds)
      return ((await processorTime()) * 1e3) / calls
    },
    end: async () => {
      await Promise.all([served, client].map(ended))
    },
  }
}

const ended = async (process: ChildProcess): Promise<void> => {
  process.disconnect()
  await once(process, 'exit')
}
